ubiheap report few.ubirec
ubiheap report --format tsv few.ubirec
ubiheap report --format json -c leaked,leakedError,temporary,totalError few.ubirec
ubiheap report --json few.ubirec | python3 -c 'import json, sys; d = json.load(sys.stdin)["heap"]; print(d["leaked"], d["temporary"], d["total"]["samples"])'
for condition in 'temporary > 1' 'leaked > 1MiB' 'leaked > 1.6MiB' 'leaked >= 0'; do
    ubiheap report --format tsv -c leaked --fail-on "$condition" few.ubirec; echo $?
done
