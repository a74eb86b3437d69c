ubiheap timeline --where 'duration > 14ms and thread == "main" and label != "Console (start)"' --top 1 small.timeline
ubiheap timeline --json --where 'function ~ "^l" or cause == "ready" or source == "worker.js"' small.timeline | python3 -c 'import json, sys; print([m["label"] for m in json.load(sys.stdin)["markers"]])'
