#!/bin/sh
# LINKSPACE_URL=http://localhost:3000 LINKSPACE_KEY=… sh examples/legacy/links.sh
set -eu
v1() {
  method=$1 path=$2
  shift 2
  curl -sS --fail-with-body -X "$method" -H "Authorization: Bearer $LINKSPACE_KEY" "$@" "$LINKSPACE_URL/api/v1$path"
  echo
}
id_of() { sed -E 's/^\{"data":\{"id":([0-9]+).*/\1/'; }

space=$(v1 POST /spaces -d name=Launch -d color=3 | id_of)
link=$(v1 POST /links -d url=https://example.com/ -d "space_id=$space" \
  -d 'target_type=1' -d 'country[0][key]=DE' -d 'country[0][value]=https://example.com/de' | id_of)
v1 GET "/links/$link"
v1 PATCH "/links/$link" -d 'title=From curl'
v1 GET '/links?search=from%20curl&per_page=10'
v1 DELETE "/links/$link"
v1 DELETE "/spaces/$space"
