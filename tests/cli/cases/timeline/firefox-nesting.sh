ubiheap timeline --compat firefox --top 0 small.timeline
