#!/usr/bin/env bash
# Makes a copy of the database of advisories for machines that do not reach GitHub: advisories.sh CHECKOUT FILE
#
# CHECKOUT is a clone of https://github.com/RustSec/advisory-db. The copy has its newest state without the history.
# `.ci/run` takes it by the variable ADVISORIES.
set -euo pipefail

checkout=$1 file=$(realpath "$2")
desk=$(mktemp -d)
trap 'rm -rf "$desk"' EXIT
git clone --quiet --bare --depth 1 "file://$(realpath "$checkout")" "$desk/database"
cd "$desk/database"
date=$(git log -1 --format=%cI)
commit=$(GIT_AUTHOR_DATE=$date GIT_COMMITTER_DATE=$date git -c user.name=copy -c user.email=copy@localhost \
  commit-tree -m "A copy of $(git rev-parse HEAD)" 'HEAD^{tree}')
# cargo-deny asks for this branch.
git update-ref refs/heads/main "$commit"
git symbolic-ref HEAD refs/heads/main
git bundle create --quiet "$file" main HEAD
# The time of the file is that of the newest advisory, which `.ci/run` prints.
touch --date "$date" "$file"
