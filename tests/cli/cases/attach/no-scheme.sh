ubiheap attach localhost:6000
