ubiheap search --where 'retainedSize > 50KiB and coarseType == "Object"' node20-after.heapsnapshot.gz
