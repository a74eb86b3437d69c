ubiheap summary --sort count --limit 4 node20-after.heapsnapshot.gz
