ubiheap timeline hostile.timeline | cat -v
