ubiheap leaks --where 'clasName == "Array"' node20-before.heapsnapshot.gz node20-after.heapsnapshot.gz
