ubiheap search --limit 5 node20-after.heapsnapshot.gz leakedthing
