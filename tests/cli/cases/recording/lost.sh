# Of lost allocations and frees, nothing tells how large they were; how many were lost is known.
for condition in 'leaked > 1TiB' 'leakedCount > 0' 'peak < 1KiB' 'total > 1GiB' 'count > 1' 'pools > 0'; do
    ubiheap report --fail-on "$condition" sampled.ubirec > /dev/null; echo "$condition: $?"
done
for condition in 'dropped > 0' 'dropped > 12' 'leaked > 1TiB or dropped > 0' 'leaked > 1TiB and dropped > 12'; do
    ubiheap report --fail-on "$condition" sampled.ubirec > /dev/null; echo "$condition: $?"
done
