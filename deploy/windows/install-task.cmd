@echo off
rem Registers the nightly task. Run it as administrator, after you changed audit.cmd.
rem Usage: install-task.cmd            registers or replaces the task
rem        install-task.cmd remove     removes it
setlocal
set FOLDER=C:\hullmark
if /i "%~1"=="remove" (
  schtasks /Delete /TN hullmark /F
  exit /b
)
if not exist "%FOLDER%" mkdir "%FOLDER%"
if not exist "%FOLDER%\hullmark.exe" (
  echo %FOLDER%\hullmark.exe does not exist. Copy the program to it first. 1>&2
  exit /b 2
)
if /i not "%~dp0"=="%FOLDER%\" (
  copy /Y "%~dp0audit.cmd" "%FOLDER%\audit.cmd"
  copy /Y "%~dp0hullmark-task.xml" "%FOLDER%\hullmark-task.xml"
)
schtasks /Create /TN hullmark /XML "%FOLDER%\hullmark-task.xml" /F
if errorlevel 1 exit /b 2
echo The task is registered. To run it now: schtasks /Run /TN hullmark
