#include "CPage.h"
size_t cpage_count(void) { return 0; }
CPageFile cpage_file(size_t index) { (void)index; return (CPageFile){0, 0, 0}; }
CPageFile cpage_base_map(void) { return (CPageFile){0, 0, 0}; }
