ubiheap --verison
