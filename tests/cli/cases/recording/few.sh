ubiheap report few.ubirec
ubiheap report --format tsv few.ubirec
ubiheap report --format json -c leaked,leakedError,temporary,totalError few.ubirec
ubiheap report --json few.ubirec | python3 -c 'import json, sys; d = json.load(sys.stdin)["heap"]; print(d["leaked"], d["temporary"], d["total"]["samples"])'
ubiheap report --fail-on 'temporary > 1' few.ubirec; echo $?
