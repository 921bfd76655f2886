# Installs a released hullmark for Windows:
#
#   powershell -ExecutionPolicy Bypass -File install.ps1 [-Folder C:\hullmark]
#
# The download is checked against the checksums of the release. HULLMARK_VERSION names another version, and
# HULLMARK_REPOSITORY another repository.
param([string]$Folder = (Join-Path $env:LOCALAPPDATA 'Programs\hullmark'))

$ErrorActionPreference = 'Stop'
# The bar of progress makes downloads slow in Windows PowerShell.
$ProgressPreference = 'SilentlyContinue'
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

$Repository = if ($env:HULLMARK_REPOSITORY) { $env:HULLMARK_REPOSITORY } else { '@REPOSITORY@' }
$Version = if ($env:HULLMARK_VERSION) { $env:HULLMARK_VERSION } else { '@VERSION@' }
if ($Repository -notmatch '://') {
    throw 'The address of the repository is unknown. Set HULLMARK_REPOSITORY, or take install.ps1 from a release.'
}
if (-not [Environment]::Is64BitOperatingSystem) { throw 'There is no program for 32-bit Windows.' }

$Name = "hullmark-$Version-x86_64-pc-windows-gnu"
$Desk = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
New-Item -ItemType Directory -Path $Desk | Out-Null
try {
    foreach ($File in 'SHA256SUMS', "$Name.zip") {
        Invoke-WebRequest -UseBasicParsing -Uri "$Repository/releases/download/v$Version/$File" -OutFile (Join-Path $Desk $File)
    }
    $Line = Get-Content (Join-Path $Desk 'SHA256SUMS') | Where-Object { $_.EndsWith("  $Name.zip") }
    if (-not $Line) { throw "The release has no checksum of $Name.zip. Nothing was installed." }
    $Found = (Get-FileHash -Algorithm SHA256 (Join-Path $Desk "$Name.zip")).Hash
    if ($Found -ne $Line.Split(' ')[0]) {
        throw "$Name.zip has another checksum than its release says. Nothing was installed."
    }
    Expand-Archive -Path (Join-Path $Desk "$Name.zip") -DestinationPath $Desk
    New-Item -ItemType Directory -Force -Path $Folder | Out-Null
    Copy-Item -Recurse -Force -Path (Join-Path $Desk "$Name\*") -Destination $Folder
}
finally {
    Remove-Item -Recurse -Force $Desk
}

$Path = [Environment]::GetEnvironmentVariable('Path', 'User')
if (($Path -split ';') -notcontains $Folder) {
    [Environment]::SetEnvironmentVariable('Path', (($Path, $Folder | Where-Object { $_ }) -join ';'), 'User')
    Write-Host "$Folder was added to your PATH. Open a new window to use it."
}
& (Join-Path $Folder 'hullmark.exe') --version
