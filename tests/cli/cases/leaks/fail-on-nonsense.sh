ubiheap leaks --fail-on 'retaind > 1MiB' node20-before.heapsnapshot.gz node20-after.heapsnapshot.gz
