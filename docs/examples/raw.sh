#!/bin/sh
# Sends and reads messages without a persistent connection: with curl, over the HTTP gateway.
#
#     PARLEY_URL=… PARLEY_TOKEN=… sh raw.sh 'The build is green' [chart.png]
set -eu

parley() {
  path=$1
  shift
  curl --silent --show-error --fail-with-body "$PARLEY_URL$path" \
    -H "Authorization: Bearer $PARLEY_TOKEN" -H 'Content-Type: application/json' "$@"
}

# The default channel of the bot’s first server.
channel=$(parley /api/servers | sed -E 's/^[^[]*\[\{[^}]*"defaultChannelId":"([^"]+)".*/\1/')

files=
if [ $# -gt 1 ]; then
  # Uploads the file in one piece. The answer has the file's id, which the message refers to.
  file=$(parley "/api/channels/$channel/files/$(basename "$2")" -T "$2" |
    sed -E 's/^\{"file":\{"id":"([^"]+)".*/\1/')
  files=",\"files\":[{\"id\":\"$file\"}]"
fi
parley /api/messages -d "{\"timelineId\":\"$channel\",\"body\":\"$1\"$files}"
echo
parley "/api/channels/$channel/messages?limit=3"
echo
