ubiheap retainers node20-after.heapsnapshot.gz x
ubiheap retainers --ignore 1,x node20-after.heapsnapshot.gz 79447
ubiheap retainers --ignore 2 node20-after.heapsnapshot.gz 79447
