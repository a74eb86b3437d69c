ubiheap timeline --from 150 --to 0.18s --top 2 small.timeline
