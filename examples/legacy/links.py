# LINKSPACE_URL=http://localhost:3000 LINKSPACE_KEY=… python3 examples/legacy/links.py   (needs the package requests)
import os

import requests

base = os.environ["LINKSPACE_URL"] + "/api/v1"
session = requests.Session()
session.headers["Authorization"] = "Bearer " + os.environ["LINKSPACE_KEY"]


def call(method, path, **arguments):
    response = session.request(method, base + path, **arguments)
    response.raise_for_status()
    return response.json()


space = call("POST", "/spaces", data={"name": "Launch", "color": 3})["data"]
form = {
    "url": "https://example.com/",
    "space_id": space["id"],
    "target_type": 4,
    "rotation[0][value]": "https://example.com/a",
    "rotation[1][value]": "https://example.com/b",
}
link = call("POST", "/links", data=form)["data"]
call("PATCH", f"/links/{link['id']}", data={"title": "From Python"})
found = call("GET", "/links", params={"search": "from python", "sort_by": "title"})
print(found["meta"]["total"], found["data"][0]["title"], len(found["data"][0]["rotation"]))

refused = session.post(base + "/links", data={"url": "nonsense"})
print(refused.status_code, refused.json()["errors"]["url"][0])

call("DELETE", f"/links/{link['id']}")
call("DELETE", f"/spaces/{space['id']}")
