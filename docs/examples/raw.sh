#!/bin/sh
# Speaks and reads without a connection that stays: the HTTP gateway, by curl.
#
#     PARLEY_URL=… PARLEY_TOKEN=… sh raw.sh 'The build is green'
set -eu

parley() {
  path=$1
  shift
  curl --silent --show-error --fail-with-body "$PARLEY_URL$path" \
    -H "Authorization: Bearer $PARLEY_TOKEN" -H 'Content-Type: application/json' "$@"
}

# The default channel of the first server that the bot was added to.
channel=$(parley /api/servers | sed -E 's/^[^[]*\[\{[^}]*"defaultChannelId":"([^"]+)".*/\1/')

parley /api/messages -d "{\"timelineId\":\"$channel\",\"body\":\"$1\"}"
echo
parley "/api/channels/$channel/messages?limit=3"
echo
