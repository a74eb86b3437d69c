ubiheap timeline --color always --top 1 small.timeline | head -n 17 | cat -v
