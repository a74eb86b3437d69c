ubiheap nodes -n 1 --fail-on 'count(LeakedThing) > 300' node20-after.heapsnapshot.gz
echo $?
ubiheap census --fail-on 'bytes > 3023053' --limit 1 node20-after.heapsnapshot.gz
echo $?
ubiheap census --fail-on 'retained(Widget) > 1KiB' --limit 1 chromium-detached.heapsnapshot.gz
