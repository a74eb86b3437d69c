ubiheap show node20-after.heapsnapshot.gz @50603 | head -n 1
ubiheap show node20-after.heapsnapshot.gz @0xc5ab | head -n 1
ubiheap show node20-after.heapsnapshot.gz @ || ubiheap show node20-after.heapsnapshot.gz @@50603
