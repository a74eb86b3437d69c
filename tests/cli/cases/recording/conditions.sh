ubiheap report --format csv -c leaked --top 1 --fail-on 'leaked > 1MiB' server.ubirec; echo $?
ubiheap report --format csv -c leaked --top 1 --fail-on 'temporary > 80% or dropped > 0' server.ubirec; echo $?
ubiheap report --format csv -c leaked --top 1 --fail-on 'dropped > 0' sampled.ubirec; echo $?
ubiheap report --fail-on 'leeked > 1' server.ubirec; echo $?
ubiheap report --format tsv -c leaked --fail-on 'leaked > 1MiB and leakedCount > 1' sampled.ubirec; echo $?
