#!/usr/bin/env bash
# Makes the files of a release from a program that is already built, and uses them as a person would: archives are
# opened, the package for Debian is installed and purged in a new Debian, the image is unpacked, the installer runs.
#
#   tests/packages.sh [HULLMARK]     target/release/hullmark
#
# The package and the image need root and Debian's tools (debootstrap, skopeo, umoci), which are installed. Nothing is
# installed of hullmark outside of a folder for temporary files. STATIC names a static program for the image.
# DEBIAN names a folder with a new Debian, and KEEP=1 keeps the files of the test.
set -euo pipefail
cd "$(dirname "$0")/.."

program=$(realpath "${1:-target/release/hullmark}")
static=${STATIC:-target/x86_64-unknown-linux-musl/release/hullmark}
# Installers and manifests know the names of released targets alone.
target=x86_64-unknown-linux-musl
windows=x86_64-pc-windows-gnu
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

desk=$(mktemp -d /tmp/hullmark-packages.XXXXXX)
server=
clean_up() {
  if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
  if [ -z "${KEEP:-}" ]; then rm -rf "$desk"; else echo "The files are in $desk."; fi
}
trap clean_up EXIT
export HULLMARK_DIST=$desk/dist
release() { python3 deploy/release/release.py "$@"; }
fail() {
  echo "FAILED: $1" >&2
  exit 1
}
# A step whose files are not listed. What it says is shown if it fails.
quietly() {
  release "$@" 2>"$desk/said" || {
    cat "$desk/said"
    fail "release.py $1 failed."
  }
}
# Audits the samples of a folder, whose report must be that of the program that was packed.
audit() { # program folder
  (cd "$2" && "$1" audit sample_data --out "$desk/report" --quiet) || [ $? = 3 ] || fail "$1 did not audit its samples."
  diff --recursive --exclude .hullmark-stamp "$desk/expected" "$desk/report" || fail "$1 wrote another report."
  rm -r "$desk/report"
}

install_tools() {
  local missing=()
  for tool in debootstrap skopeo umoci man ruby fish zsh wixl msibuild; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  missing=("${missing[@]/#man/man-db}")
  missing=("${missing[@]/#msibuild/msitools}")
  if [ ${#missing[@]} = 0 ]; then return; fi
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "SKIPPED, in parts: ${missing[*]} cannot be installed here."
    return
  fi
  apt-get update --quiet=2 && apt-get install --yes --quiet=2 --no-install-recommends "${missing[@]}" >"$desk/apt.log" 2>&1 ||
    { cat "$desk/apt.log"; fail "${missing[*]} cannot be installed."; }
}

archives() {
  release pack "$target" "$program"
  mkdir "$desk/open"
  tar --extract --file "$HULLMARK_DIST/hullmark-$version-$target.tar.gz" --directory "$desk/open"
  local open=$desk/open/hullmark-$version-$target
  audit "$open/hullmark" "$open"
  local first
  first=$(sha256sum <"$HULLMARK_DIST/hullmark-$version-$target.tar.gz")
  quietly pack "$target" "$program"
  [ "$first" = "$(sha256sum <"$HULLMARK_DIST/hullmark-$version-$target.tar.gz")" ] || fail "Packing twice made two archives."

  # The zip has the same files. tests/windows runs the program of Windows under Wine.
  HULLMARK_RUNNABLE=$program release pack "$windows" "$program"
  python3 -m zipfile --extract "$HULLMARK_DIST/hullmark-$version-$windows.zip" "$desk/open"
  diff --recursive --exclude 'hullmark*' --exclude THIRD-PARTY.txt "$open" "$desk/open/hullmark-$version-$windows"
  [ -f "$desk/open/hullmark-$version-$windows/hullmark.exe" ] || fail "The zip has no program."
  grep --quiet '^serde 1' "$open/THIRD-PARTY.txt" || fail "THIRD-PARTY.txt lists no packages."
  echo "archives: the tar.gz audits its samples, packing twice gives the same bytes, and the zip has the same files."
}

pages() {
  local open=$desk/open/hullmark-$version-$target
  if command -v man >/dev/null; then
    for page in "$open"/man/*.1; do
      LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings --local-file "$page" 2>"$desk/warnings" >"$desk/page"
      [ -s "$desk/page" ] && [ ! -s "$desk/warnings" ] || { cat "$desk/warnings"; fail "$page has mistakes."; }
    done
  fi
  bash -c 'source "$0"; complete -p hullmark >/dev/null' "$open/completions/hullmark.bash"
  if command -v zsh >/dev/null; then zsh -n "$open/completions/hullmark.zsh"; fi
  if command -v fish >/dev/null; then fish --no-execute "$open/completions/hullmark.fish"; fi
  echo "pages: manual pages have no warnings, and the completions of bash, zsh and fish can be read."
}

debian() {
  release deb "$target"
  if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo "SKIPPED, package: only root can make a new Debian."
    return
  fi
  local root=${DEBIAN:-$desk/debian}
  if [ ! -d "$root/usr" ]; then
    debootstrap --variant=minbase bookworm "$root" >"$desk/debootstrap.log" 2>&1 ||
      { tail "$desk/debootstrap.log"; fail "There is no new Debian."; }
  fi
  # Its mounts end with the namespace.
  unshare --mount --propagation private tests/scripts/deb.sh "$root" \
    "$HULLMARK_DIST/hullmark_$version-1_amd64.deb" "$desk/expected"
}

image() {
  if [ ! -x "$static" ]; then
    # Tells apart an image that cannot be unpacked and one whose program does not start.
    echo 'int puts(const char *); int main(void) { return puts("stand-in") < 0; }' >"$desk/stand-in.c"
    cc -static -o "$desk/stand-in" "$desk/stand-in.c"
    static=$desk/stand-in
    echo "image: there is no static hullmark, so a stand-in is in its place."
  fi
  local kept=$HULLMARK_DIST folder packed
  export HULLMARK_DIST=$desk/static
  HULLMARK_RUNNABLE=$program quietly pack "$target" "$static"
  if release image x86_64-unknown-linux-gnu 2>/dev/null; then fail "An image was made of nothing."; fi
  release image "$target"
  cp "$HULLMARK_DIST/image-digest.txt" "$kept"
  folder=$HULLMARK_DIST/work/image packed=$HULLMARK_DIST/hullmark-$version-image.tar
  export HULLMARK_DIST=$kept
  python3 tests/scripts/release.py image "$folder"
  if command -v skopeo >/dev/null; then
    skopeo inspect "oci:$folder:$version" >"$desk/inspected.json"
    grep --quiet "$(cat "$kept/image-digest.txt")" "$desk/inspected.json" || fail "skopeo has another digest."
    # Reads and checks every blob.
    skopeo copy --quiet --preserve-digests "oci-archive:$packed" "dir:$desk/copied"
  fi
  if command -v umoci >/dev/null && [ "$(id -u)" = 0 ]; then
    umoci unpack --image "$folder:$version" "$desk/bundle"
    chmod 755 "$desk"
    mkdir -p "$desk/bundle/rootfs/samples"
    cp -r sample_data "$desk/bundle/rootfs/samples"
    # As the image's user, in its root alone.
    chroot --userspec=65532:65532 "$desk/bundle/rootfs" /usr/local/bin/hullmark --version >"$desk/said"
    if [ "$static" = "$desk/stand-in" ]; then
      grep --quiet stand-in "$desk/said"
    else
      grep --quiet "hullmark $version" "$desk/said"
      chroot --userspec=65532:65532 "$desk/bundle/rootfs" /usr/local/bin/hullmark audit /samples/sample_data \
        --out /tmp/report --quiet || [ $? = 3 ] || fail "The program of the image did not audit the samples."
      [ -s "$desk/bundle/rootfs/tmp/report/audit.html" ] || fail "The program of the image wrote no page."
    fi
  fi
  echo "image: skopeo and umoci take it, and its program starts as user 65532."
}

msi() {
  if ! command -v wixl >/dev/null || ! command -v msibuild >/dev/null; then
    echo "SKIPPED, MSI: there are no wixl and msitools."
    return
  fi
  release msi "$windows"
  local package=$HULLMARK_DIST/hullmark-$version-$windows.msi
  mkdir "$desk/msi"
  msiextract --directory "$desk/msi" "$package" >/dev/null
  diff --recursive --exclude man --exclude 'hullmark.*sh' --exclude hullmark.elvish \
    "$desk/open/hullmark-$version-$windows" "$desk/msi/hullmark"
  echo "MSI: it has the files of the zip."
  if ! command -v wine >/dev/null; then
    echo "SKIPPED, MSI: there is no Wine, so it was not installed."
    return
  fi
  export WINEPREFIX=$desk/wine WINEARCH=win64 WINEDEBUG=-all DISPLAY=
  timeout 120 wine wineboot --init >/dev/null 2>&1 || fail "Wine does not start."
  timeout 120 wine msiexec /i "Z:${package//\//\\}" /qn
  diff --recursive "$desk/msi/hullmark" "$WINEPREFIX/drive_c/Program Files/hullmark"
  path=$(wine cmd /c 'echo %PATH%' 2>/dev/null)
  case $path in
    *'Program Files\hullmark'*) ;;
    *) fail "Installing did not add to PATH: $path" ;;
  esac
  timeout 120 wine msiexec /x "Z:${package//\//\\}" /qn
  [ ! -e "$WINEPREFIX/drive_c/Program Files/hullmark" ] || fail "Removing left files."
  path=$(wine cmd /c 'echo %PATH%' 2>/dev/null)
  case $path in *'Files\hullmark'*) fail "Removing left an entry in PATH: $path" ;; esac
  wineserver --wait 2>/dev/null || true
  unset WINEPREFIX WINEARCH WINEDEBUG DISPLAY
  echo "MSI: Wine installs and removes it, with its entry in PATH."
}

manifests() {
  if release manifests 2>"$desk/said"; then fail "Manifests were made without an address of the repository."; fi
  grep --quiet "Set HULLMARK_REPOSITORY" "$desk/said"
  # Archives of other systems, which no machine here can build all.
  for other in aarch64-unknown-linux-musl aarch64-apple-darwin x86_64-apple-darwin; do
    echo "$other" >"$HULLMARK_DIST/hullmark-$version-$other.tar.gz"
  done
  HULLMARK_REPOSITORY=https://example.org/owner/hullmark quietly manifests
  quietly checksums
  (cd "$HULLMARK_DIST" && sha256sum --check --quiet SHA256SUMS)
  python3 tests/scripts/release.py manifests "$HULLMARK_DIST"
  python3 tests/scripts/release.py binstall "$HULLMARK_DIST"
  bash -n "$HULLMARK_DIST/manifests/PKGBUILD"
  if command -v ruby >/dev/null; then ruby -c "$HULLMARK_DIST/manifests/hullmark.rb" >/dev/null; fi
  echo "manifests: all can be read, and have the checksums of the files."
}

installer() {
  mkdir -p "$desk/web/releases/download"
  ln -s "$HULLMARK_DIST" "$desk/web/releases/download/v$version"
  # The server makes the file a moment later.
  : >"$desk/server.log"
  python3 -u -m http.server --bind 127.0.0.1 --directory "$desk/web" 0 >"$desk/server.log" 2>&1 &
  server=$!
  for _ in $(seq 100); do
    port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$desk/server.log")
    if [ -n "$port" ]; then break; fi
    sleep 0.1
  done
  if sh deploy/install.sh "$desk/home" 2>/dev/null; then fail "install.sh ran without an address."; fi
  export HULLMARK_REPOSITORY=http://127.0.0.1:$port
  sh "$HULLMARK_DIST/install.sh" "$desk/home" >/dev/null
  audit "$desk/home/bin/hullmark" "$desk/home/share/hullmark"
  # A second time over a program that runs is an upgrade.
  sh "$HULLMARK_DIST/install.sh" "$desk/home" >/dev/null
  echo x >>"$HULLMARK_DIST/hullmark-$version-$target.tar.gz"
  if sh "$HULLMARK_DIST/install.sh" "$desk/tampered" 2>"$desk/said"; then fail "install.sh took a changed archive."; fi
  grep --quiet "another checksum" "$desk/said"
  [ ! -e "$desk/tampered" ] || fail "install.sh installed a part of a changed archive."
  echo "installer: install.sh installs over the loopback, and refuses an archive that was changed."
}

install_tools
(cd "$PWD" && "$program" audit sample_data --out "$desk/expected" --quiet) || [ $? = 3 ]
python3 tests/scripts/release.py workflow .github/workflows/release.yml
archives
pages
debian
image
msi
manifests
installer
