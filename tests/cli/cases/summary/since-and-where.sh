ubiheap summary --since node20-before.heapsnapshot.gz --where 'rawSize >= 48' node20-after.heapsnapshot.gz
