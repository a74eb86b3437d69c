ubiheap search --limit 2 --property _events node20-after.heapsnapshot.gz
ubiheap search --property store tiny-before.fxsnapshot
ubiheap search --property shape tiny-before.fxsnapshot
ubiheap search --property children --limit 2 node20-after.heapsnapshot.gz module
