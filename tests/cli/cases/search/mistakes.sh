ubiheap search node20-after.heapsnapshot.gz '/a(/'
ubiheap search node20-after.heapsnapshot.gz
ubiheap search --where 'retained > 1' node20-after.heapsnapshot.gz a
