ubiheap search --case node20-after.heapsnapshot.gz leakedthing
