#!/usr/bin/env bash
# Installs, upgrades, removes and purges a package in a copy of a new Debian: tests/packages.sh runs this in a namespace
# of its own for mounts.
#
#   deb.sh DEBIAN PACKAGE REPORT     REPORT is what an audit of the samples writes
set -euo pipefail

debian=$1 package=$2 expected=$3
desk=$(mktemp -d /tmp/hullmark-deb.XXXXXX)
# Everything is written into memory, so DEBIAN stays new, and `upper` has all that was changed.
mount -t tmpfs tmpfs "$desk"
mkdir "$desk/upper" "$desk/work" "$desk/root"
mount -t overlay overlay -o "lowerdir=$debian,upperdir=$desk/upper,workdir=$desk/work" "$desk/root"
root=$desk/root
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
cp "$package" "$root/tmp/hullmark.deb"

fail() {
  echo "FAILED: $1" >&2
  exit 1
}
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"; }

inside dpkg --install /tmp/hullmark.deb >/dev/null
inside hullmark audit /usr/share/hullmark/sample_data --out /tmp/report --quiet || [ $? = 3 ] ||
  fail "The installed program did not audit its samples."
[ -s "$root/tmp/report/audit.html" ] || fail "The installed program wrote no page."
inside sh -c 'cd /usr/share/hullmark && exec hullmark audit sample_data --out /tmp/same --quiet' || [ $? = 3 ]
diff --recursive --exclude .hullmark-stamp "$expected" "$root/tmp/same" || fail "The installed program wrote another report."
for file in usr/share/man/man1/hullmark-audit.1.gz usr/share/zsh/vendor-completions/_hullmark \
  usr/share/bash-completion/completions/hullmark usr/share/fish/vendor_completions.d/hullmark.fish \
  usr/lib/systemd/system/hullmark.timer usr/share/doc/hullmark/copyright; do
  [ -s "$root/$file" ] || fail "There is no /$file."
done
grep --quiet '/usr/bin/hullmark' "$root/usr/lib/systemd/system/hullmark.service" || fail "The unit runs another program."
[ ! -e "$root/etc/systemd/system/timers.target.wants/hullmark.timer" ] || fail "The timer is enabled."

# What the service does, as its user.
inside setpriv --reuid hullmark --regid hullmark --clear-groups hullmark audit /usr/share/hullmark/sample_data \
  --config /etc/hullmark/hullmark.toml --ledgers /var/lib/hullmark/ledgers --out /var/lib/hullmark/reports/2026-01-01 \
  --quiet || [ $? = 3 ] || fail "The user hullmark cannot audit into /var/lib/hullmark."

# An upgrade keeps the settings of the administrator, and so does a removal.
echo '# mine' >>"$root/etc/hullmark/hullmark.toml"
inside dpkg --install --force-confdef --force-confold /tmp/hullmark.deb >/dev/null
grep --quiet '# mine' "$root/etc/hullmark/hullmark.toml" || fail "An upgrade changed the settings."
inside dpkg --remove hullmark >/dev/null
[ ! -e "$root/usr/bin/hullmark" ] || fail "The program is still there."
grep --quiet '# mine' "$root/etc/hullmark/hullmark.toml" || fail "Removing the package removed the settings."
[ -d "$root/var/lib/hullmark/ledgers" ] || fail "Removing the package removed its ledgers."

inside dpkg --purge hullmark >/dev/null
rm -r "$root/tmp/hullmark.deb" "$root/tmp/report" "$root/tmp/same"
# All that is left are notes of dpkg and copies that useradd makes.
left=$(cd "$desk/upper" && find . ! -type d | grep --invert-match --extended-regexp \
  '^\./(var/lib/dpkg/|var/log/(dpkg\.log|alternatives\.log|lastlog|faillog)|etc/(passwd|group|shadow|gshadow|subuid|subgid)-?$|etc/\.pwd\.lock)' || true)
[ -z "$left" ] || fail "Purging left: $left"
for file in passwd group shadow gshadow; do
  cmp "$debian/etc/$file" "$root/etc/$file" || fail "Purging left an entry in /etc/$file."
done
new=$(cd "$desk/upper" && find . -type d -iname '*hullmark*')
[ -z "$new" ] || fail "Purging left the folder $new."
inside dpkg --audit
echo "package: a new Debian installs, upgrades, removes and purges it. It audits its samples, and leaves nothing."
