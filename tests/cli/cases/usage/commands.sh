ubiheap help --commands
