COLUMNS=100 LC_ALL=C ubiheap summary --limit 3 node20-after.heapsnapshot.gz
