@echo off
rem One night on Windows: audits the exports and writes a report. The scheduled task of install-task.cmd starts it.
rem Change these four lines.
set EXPORTS=C:\DreamGrid\OutworldzFiles\AutoBackup
set PROFILE=opensim-bulletsim
set FOLDER=C:\hullmark
set PROGRAM=C:\hullmark\hullmark.exe

rem A task has other settings than a window: nothing of it is used here.
if not exist "%FOLDER%" mkdir "%FOLDER%"
cd /d "%FOLDER%"
if errorlevel 1 exit /b 2
"%PROGRAM%" audit "%EXPORTS%" --profile "%PROFILE%" --ledgers ledgers --out report --baseline report ^
  --letters letters --metrics hullmark.prom --fail-on-new error --quiet > audit.log 2>&1
set CODE=%ERRORLEVEL%
if %CODE%==0 echo No new errors since the previous run. Older ones may remain.>> audit.log
if %CODE%==1 echo There are new errors: open report\audit.html.>> audit.log
if %CODE%==2 echo There is no new report: read the line above.>> audit.log
if %CODE%==3 echo An export was not read to its end: open report\audit.html.>> audit.log
if %CODE%==4 echo The audit was stopped. The next one goes on.>> audit.log
exit /b %CODE%
