#!/usr/bin/env bash
# Starts an API and two workers; when one ends, all end. Arguments are those of the API.
set -euo pipefail
: "${DATABASE_URL:?names the PostgreSQL}" "${REDIS_URL:?names the Redis}"
PATH="$PWD/node_modules/.bin:$PATH"

end() {
  # shellcheck disable=SC2046
  kill $(jobs -p) 2>/dev/null || true
  wait
}
trap end EXIT
trap 'exit 0' INT TERM

parley migrate
parley api "$@" &
parley worker &
parley worker &
wait -n || true
echo "A process has ended, so all end" >&2
exit 1
