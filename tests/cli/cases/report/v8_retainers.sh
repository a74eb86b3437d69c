# The engine's own roots stand behind what the program and Node.js hold, and Next names what stands in the first row.
for file in node20-after.heapsnapshot.gz chromium-detached.heapsnapshot.gz; do
    ubiheap report --detail $file | sed -n '/^Biggest retainers/,/^$/p; s/ *#.*//; /ubiheap show/p'
done
