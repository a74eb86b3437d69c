ubiheap report --format csv -c leaked --top 1 --fail-on 'leaked > 1MiB' server.ubirec; echo $?
ubiheap report --format csv -c leaked --top 1 --fail-on 'temporary > 80% or dropped > 0' server.ubirec; echo $?
ubiheap report --format csv -c leaked --top 1 --fail-on 'dropped > 0' sampled.ubirec; echo $?
ubiheap report --fail-on 'leeked > 1' server.ubirec; echo $?
ubiheap report --format tsv -c leaked --fail-on 'leaked > 1MiB and leakedCount > 1' lost-markers.ubirec; echo $?
for condition in 'leaked > 30MiB' 'leaked > 40MiB' 'leaked > 60MiB' 'not (leaked > 40MiB)' 'leaked > 40MiB or dropped > 1' 'leaked > 40MiB and dropped > 50' \
    'leaked > 15%' 'leaked > 10%' 'temporary >= 0' 'temporary > 5' 'count > 2000000' 'peak - leaked > 40MiB'; do
    ubiheap report --format tsv -c class --top 1 --fail-on "$condition" lost-markers.ubirec > /dev/null
    echo "$condition: $?"
done
ubiheap report --format csv -c leaked --top 1 --fail-on 'rss < 1KiB' lost-markers.ubirec; echo $?
for condition in 'leakedCount == 1500' 'leakedCount != 1600' 'leaked = 40MiB' 'leaked > 40MiB'; do # only --exact tells whether a number is another
    ubiheap report --format csv -c leaked --top 1 --fail-on "$condition" lost-markers.ubirec > /dev/null; echo $?
done
ubiheap report --json lost-markers.ubirec | python3 -c 'import json, sys; print(json.load(sys.stdin)["resident"])'
