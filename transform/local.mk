# transform
