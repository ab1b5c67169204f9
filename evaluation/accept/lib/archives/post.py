#!/usr/bin/env python3
"""Posts spans to a service of this machine, until it has been there and is gone, or the seconds are over.
Usage: post.py PORT SECONDS"""

import http.client
import json
import sys
import time

PORT, SECONDS = int(sys.argv[1]), float(sys.argv[2])
SPAN = {"traceId": "86154a4ba6e91385", "id": "4d1e00c0db9010db", "name": "get", "timestamp": 1472470996199000, "duration": 207000,
        "localEndpoint": {"serviceName": "frontend", "ipv4": "127.0.0.1"}}
BODY = json.dumps([SPAN] * 20)
until, was_there, connection = time.monotonic() + SECONDS, False, None
while time.monotonic() < until:
    try:
        connection = connection or http.client.HTTPConnection("127.0.0.1", PORT, timeout=5)
        connection.request("POST", "/api/v2/spans", BODY, {"Content-Type": "application/json"})
        connection.getresponse().read()
        was_there = True
    except ConnectionRefusedError:
        connection = None
        if was_there:
            break
        time.sleep(0.2)
    except (OSError, http.client.HTTPException):
        connection = None
