ubiheap timeline --format chrome -o trace.json small.timeline && ubiheap timeline --format chrome small.timeline | cmp - trace.json && echo same
ubiheap timeline --format firefox -o profile.json small.timeline && ubiheap timeline --format firefox small.timeline | cmp - profile.json && echo same
ubiheap timeline --format json -o all.json small.timeline && ubiheap timeline --json small.timeline | cmp - all.json && echo same
gzip -c small.timeline | ubiheap timeline --json - | sed 's/"file":"-"/"file":"small.timeline"/' | cmp - all.json && echo same
