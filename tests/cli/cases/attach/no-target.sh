ubiheap attach
