ubiheap timeline --color always --top 1 small.timeline | head -n 16 | cat -v
