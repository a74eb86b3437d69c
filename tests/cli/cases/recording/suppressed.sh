# what is known is in the totals, and in no list of what was not freed
printf '# known\nleak:^Session::Session(\nleak:nowhere\n' > known.supp
ubiheap report --suppress known.supp server.ubirec | head -n 16
COLUMNS=40 ubiheap report --detail --suppress known.supp server.ubirec | grep -A 2 Suppressed
ubiheap report -c leaked,total,function --suppress known.supp server.ubirec
ubiheap report --json --suppress known.supp server.ubirec | python3 -c 'import json, sys; print(json.load(sys.stdin)["suppressed"])'
ubiheap report --fail-on 'leaked > 0.5MiB or suppressed > 800KiB' --suppress known.supp server.ubirec > all; echo "status $?"
ubiheap flamegraph --by leaked --format text --suppress known.supp server.ubirec
echo 'race:f' | ubiheap report --suppress - server.ubirec; echo "status $?"
ubiheap export -f tables --suppress known.supp server.ubirec; echo "status $?"
