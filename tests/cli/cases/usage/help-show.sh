COLUMNS=100 ubiheap help show
