// Written by Tests/Scripts/embed-page.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "CPage.h"

static const unsigned char file0[] = {
#embed "../CairnServer/Page/actions.js" if_empty(0)
};
static const unsigned char file1[] = {
#embed "../CairnServer/Page/add.css" if_empty(0)
};
static const unsigned char file2[] = {
#embed "../CairnServer/Page/add.js" if_empty(0)
};
static const unsigned char file3[] = {
#embed "../CairnServer/Page/api.js" if_empty(0)
};
static const unsigned char file4[] = {
#embed "../CairnServer/Page/app-menu.js" if_empty(0)
};
static const unsigned char file5[] = {
#embed "../CairnServer/Page/app.css" if_empty(0)
};
static const unsigned char file6[] = {
#embed "../CairnServer/Page/app.js" if_empty(0)
};
static const unsigned char file7[] = {
#embed "../CairnServer/Page/arrow.svg" if_empty(0)
};
static const unsigned char file8[] = {
#embed "../CairnServer/Page/box-geometry.js" if_empty(0)
};
static const unsigned char file9[] = {
#embed "../CairnServer/Page/boxes.js" if_empty(0)
};
static const unsigned char file10[] = {
#embed "../CairnServer/Page/cell.js" if_empty(0)
};
static const unsigned char file11[] = {
#embed "../CairnServer/Page/current-set.js" if_empty(0)
};
static const unsigned char file12[] = {
#embed "../CairnServer/Page/decoded.js" if_empty(0)
};
static const unsigned char file13[] = {
#embed "../CairnServer/Page/dialog.js" if_empty(0)
};
static const unsigned char file14[] = {
#embed "../CairnServer/Page/dom.js" if_empty(0)
};
static const unsigned char file15[] = {
#embed "../CairnServer/Page/drop.js" if_empty(0)
};
static const unsigned char file16[] = {
#embed "../CairnServer/Page/early-edits.js" if_empty(0)
};
static const unsigned char file17[] = {
#embed "../CairnServer/Page/events.js" if_empty(0)
};
static const unsigned char file18[] = {
#embed "../CairnServer/Page/favicon.svg" if_empty(0)
};
static const unsigned char file19[] = {
#embed "../CairnServer/Page/fetch-panel.js" if_empty(0)
};
static const unsigned char file20[] = {
#embed "../CairnServer/Page/figures.js" if_empty(0)
};
static const unsigned char file21[] = {
#embed "../CairnServer/Page/fill.js" if_empty(0)
};
static const unsigned char file22[] = {
#embed "../CairnServer/Page/format.js" if_empty(0)
};
static const unsigned char file23[] = {
#embed "../CairnServer/Page/grid-layout.js" if_empty(0)
};
static const unsigned char file24[] = {
#embed "../CairnServer/Page/grid.css" if_empty(0)
};
static const unsigned char file25[] = {
#embed "../CairnServer/Page/grid.js" if_empty(0)
};
static const unsigned char file26[] = {
#embed "../CairnServer/Page/group-headers.js" if_empty(0)
};
static const unsigned char file27[] = {
#embed "../CairnServer/Page/help.js" if_empty(0)
};
static const unsigned char file28[] = {
#embed "../CairnServer/Page/icons.svg" if_empty(0)
};
static const unsigned char file29[] = {
#embed "../CairnServer/Page/index.html" if_empty(0)
};
static const unsigned char file30[] = {
#embed "../CairnServer/Page/job-tray.js" if_empty(0)
};
static const unsigned char file31[] = {
#embed "../CairnServer/Page/jobs.js" if_empty(0)
};
static const unsigned char file32[] = {
#embed "../CairnServer/Page/keys.js" if_empty(0)
};
static const unsigned char file33[] = {
#embed "../CairnServer/Page/label-bar.js" if_empty(0)
};
static const unsigned char file34[] = {
#embed "../CairnServer/Page/main.js" if_empty(0)
};
static const unsigned char file35[] = {
#embed "../CairnServer/Page/map-base.js" if_empty(0)
};
static const unsigned char file36[] = {
#embed "../CairnServer/Page/map-gestures.js" if_empty(0)
};
static const unsigned char file37[] = {
#embed "../CairnServer/Page/map-items.js" if_empty(0)
};
static const unsigned char file38[] = {
#embed "../CairnServer/Page/map-keys.js" if_empty(0)
};
static const unsigned char file39[] = {
#embed "../CairnServer/Page/map-layers.js" if_empty(0)
};
static const unsigned char file40[] = {
#embed "../CairnServer/Page/map-project.js" if_empty(0)
};
static const unsigned char file41[] = {
#embed "../CairnServer/Page/map-surface.js" if_empty(0)
};
static const unsigned char file42[] = {
#embed "../CairnServer/Page/map-tiles.js" if_empty(0)
};
static const unsigned char file43[] = {
#embed "../CairnServer/Page/map-view.js" if_empty(0)
};
static const unsigned char file44[] = {
#embed "../CairnServer/Page/map.css" if_empty(0)
};
static const unsigned char file45[] = {
#embed "../CairnServer/Page/map.js" if_empty(0)
};
static const unsigned char file46[] = {
#embed "../CairnServer/Page/mini-grid.js" if_empty(0)
};
static const unsigned char file47[] = {
#embed "../CairnServer/Page/missing.svg" if_empty(0)
};
static const unsigned char file48[] = {
#embed "../CairnServer/Page/model-agreement.js" if_empty(0)
};
static const unsigned char file49[] = {
#embed "../CairnServer/Page/model-metrics.js" if_empty(0)
};
static const unsigned char file50[] = {
#embed "../CairnServer/Page/model-runs.js" if_empty(0)
};
static const unsigned char file51[] = {
#embed "../CairnServer/Page/models.css" if_empty(0)
};
static const unsigned char file52[] = {
#embed "../CairnServer/Page/models.js" if_empty(0)
};
static const unsigned char file53[] = {
#embed "../CairnServer/Page/people.js" if_empty(0)
};
static const unsigned char file54[] = {
#embed "../CairnServer/Page/photo-bar.js" if_empty(0)
};
static const unsigned char file55[] = {
#embed "../CairnServer/Page/photo-boxes.js" if_empty(0)
};
static const unsigned char file56[] = {
#embed "../CairnServer/Page/photo-facts.js" if_empty(0)
};
static const unsigned char file57[] = {
#embed "../CairnServer/Page/photo-grid.js" if_empty(0)
};
static const unsigned char file58[] = {
#embed "../CairnServer/Page/photo-history.js" if_empty(0)
};
static const unsigned char file59[] = {
#embed "../CairnServer/Page/photo-labels.js" if_empty(0)
};
static const unsigned char file60[] = {
#embed "../CairnServer/Page/photo-stage.js" if_empty(0)
};
static const unsigned char file61[] = {
#embed "../CairnServer/Page/photo.css" if_empty(0)
};
static const unsigned char file62[] = {
#embed "../CairnServer/Page/photo.js" if_empty(0)
};
static const unsigned char file63[] = {
#embed "../CairnServer/Page/pick-class.js" if_empty(0)
};
static const unsigned char file64[] = {
#embed "../CairnServer/Page/pin-grid.js" if_empty(0)
};
static const unsigned char file65[] = {
#embed "../CairnServer/Page/pin-list.js" if_empty(0)
};
static const unsigned char file66[] = {
#embed "../CairnServer/Page/pin-panel.js" if_empty(0)
};
static const unsigned char file67[] = {
#embed "../CairnServer/Page/pins.js" if_empty(0)
};
static const unsigned char file68[] = {
#embed "../CairnServer/Page/query-bar.js" if_empty(0)
};
static const unsigned char file69[] = {
#embed "../CairnServer/Page/review-panel.js" if_empty(0)
};
static const unsigned char file70[] = {
#embed "../CairnServer/Page/review-queue.js" if_empty(0)
};
static const unsigned char file71[] = {
#embed "../CairnServer/Page/review.css" if_empty(0)
};
static const unsigned char file72[] = {
#embed "../CairnServer/Page/review.js" if_empty(0)
};
static const unsigned char file73[] = {
#embed "../CairnServer/Page/router.js" if_empty(0)
};
static const unsigned char file74[] = {
#embed "../CairnServer/Page/rows.js" if_empty(0)
};
static const unsigned char file75[] = {
#embed "../CairnServer/Page/selection.js" if_empty(0)
};
static const unsigned char file76[] = {
#embed "../CairnServer/Page/states.js" if_empty(0)
};
static const unsigned char file77[] = {
#embed "../CairnServer/Page/store.js" if_empty(0)
};
static const unsigned char file78[] = {
#embed "../CairnServer/Page/strings-de-b.js" if_empty(0)
};
static const unsigned char file79[] = {
#embed "../CairnServer/Page/strings-de-c.js" if_empty(0)
};
static const unsigned char file80[] = {
#embed "../CairnServer/Page/strings-de.js" if_empty(0)
};
static const unsigned char file81[] = {
#embed "../CairnServer/Page/strings-en-b.js" if_empty(0)
};
static const unsigned char file82[] = {
#embed "../CairnServer/Page/strings-en-c.js" if_empty(0)
};
static const unsigned char file83[] = {
#embed "../CairnServer/Page/strings-en.js" if_empty(0)
};
static const unsigned char file84[] = {
#embed "../CairnServer/Page/strings.js" if_empty(0)
};
static const unsigned char file85[] = {
#embed "../CairnServer/Page/sync.js" if_empty(0)
};
static const unsigned char file86[] = {
#embed "../CairnServer/Page/table-cells.js" if_empty(0)
};
static const unsigned char file87[] = {
#embed "../CairnServer/Page/table-rows.js" if_empty(0)
};
static const unsigned char file88[] = {
#embed "../CairnServer/Page/table-view.js" if_empty(0)
};
static const unsigned char file89[] = {
#embed "../CairnServer/Page/table.css" if_empty(0)
};
static const unsigned char file90[] = {
#embed "../CairnServer/Page/table.js" if_empty(0)
};
static const unsigned char file91[] = {
#embed "../CairnServer/Page/theme.css" if_empty(0)
};
static const unsigned char file92[] = {
#embed "../CairnServer/Page/theme.js" if_empty(0)
};
static const unsigned char file93[] = {
#embed "../CairnServer/Page/thumbs.js" if_empty(0)
};
static const unsigned char file94[] = {
#embed "../CairnServer/Page/types.js" if_empty(0)
};
static const unsigned char file95[] = {
#embed "../CairnServer/Page/uploads.js" if_empty(0)
};
static const unsigned char file96[] = {
#embed "../CairnServer/Page/zoom.js" if_empty(0)
};
static const unsigned char base_map[] = {
#embed "base-map.bin"
};

static const unsigned char openapi[] = {
#embed "../CairnServer/openapi.json"
};

static const CPageFile files[] = {
    {"actions.js", file0, sizeof file0},
    {"add.css", file1, sizeof file1},
    {"add.js", file2, sizeof file2},
    {"api.js", file3, sizeof file3},
    {"app-menu.js", file4, sizeof file4},
    {"app.css", file5, sizeof file5},
    {"app.js", file6, sizeof file6},
    {"arrow.svg", file7, sizeof file7},
    {"box-geometry.js", file8, sizeof file8},
    {"boxes.js", file9, sizeof file9},
    {"cell.js", file10, sizeof file10},
    {"current-set.js", file11, sizeof file11},
    {"decoded.js", file12, sizeof file12},
    {"dialog.js", file13, sizeof file13},
    {"dom.js", file14, sizeof file14},
    {"drop.js", file15, sizeof file15},
    {"early-edits.js", file16, sizeof file16},
    {"events.js", file17, sizeof file17},
    {"favicon.svg", file18, sizeof file18},
    {"fetch-panel.js", file19, sizeof file19},
    {"figures.js", file20, sizeof file20},
    {"fill.js", file21, sizeof file21},
    {"format.js", file22, sizeof file22},
    {"grid-layout.js", file23, sizeof file23},
    {"grid.css", file24, sizeof file24},
    {"grid.js", file25, sizeof file25},
    {"group-headers.js", file26, sizeof file26},
    {"help.js", file27, sizeof file27},
    {"icons.svg", file28, sizeof file28},
    {"index.html", file29, sizeof file29},
    {"job-tray.js", file30, sizeof file30},
    {"jobs.js", file31, sizeof file31},
    {"keys.js", file32, sizeof file32},
    {"label-bar.js", file33, sizeof file33},
    {"main.js", file34, sizeof file34},
    {"map-base.js", file35, sizeof file35},
    {"map-gestures.js", file36, sizeof file36},
    {"map-items.js", file37, sizeof file37},
    {"map-keys.js", file38, sizeof file38},
    {"map-layers.js", file39, sizeof file39},
    {"map-project.js", file40, sizeof file40},
    {"map-surface.js", file41, sizeof file41},
    {"map-tiles.js", file42, sizeof file42},
    {"map-view.js", file43, sizeof file43},
    {"map.css", file44, sizeof file44},
    {"map.js", file45, sizeof file45},
    {"mini-grid.js", file46, sizeof file46},
    {"missing.svg", file47, sizeof file47},
    {"model-agreement.js", file48, sizeof file48},
    {"model-metrics.js", file49, sizeof file49},
    {"model-runs.js", file50, sizeof file50},
    {"models.css", file51, sizeof file51},
    {"models.js", file52, sizeof file52},
    {"people.js", file53, sizeof file53},
    {"photo-bar.js", file54, sizeof file54},
    {"photo-boxes.js", file55, sizeof file55},
    {"photo-facts.js", file56, sizeof file56},
    {"photo-grid.js", file57, sizeof file57},
    {"photo-history.js", file58, sizeof file58},
    {"photo-labels.js", file59, sizeof file59},
    {"photo-stage.js", file60, sizeof file60},
    {"photo.css", file61, sizeof file61},
    {"photo.js", file62, sizeof file62},
    {"pick-class.js", file63, sizeof file63},
    {"pin-grid.js", file64, sizeof file64},
    {"pin-list.js", file65, sizeof file65},
    {"pin-panel.js", file66, sizeof file66},
    {"pins.js", file67, sizeof file67},
    {"query-bar.js", file68, sizeof file68},
    {"review-panel.js", file69, sizeof file69},
    {"review-queue.js", file70, sizeof file70},
    {"review.css", file71, sizeof file71},
    {"review.js", file72, sizeof file72},
    {"router.js", file73, sizeof file73},
    {"rows.js", file74, sizeof file74},
    {"selection.js", file75, sizeof file75},
    {"states.js", file76, sizeof file76},
    {"store.js", file77, sizeof file77},
    {"strings-de-b.js", file78, sizeof file78},
    {"strings-de-c.js", file79, sizeof file79},
    {"strings-de.js", file80, sizeof file80},
    {"strings-en-b.js", file81, sizeof file81},
    {"strings-en-c.js", file82, sizeof file82},
    {"strings-en.js", file83, sizeof file83},
    {"strings.js", file84, sizeof file84},
    {"sync.js", file85, sizeof file85},
    {"table-cells.js", file86, sizeof file86},
    {"table-rows.js", file87, sizeof file87},
    {"table-view.js", file88, sizeof file88},
    {"table.css", file89, sizeof file89},
    {"table.js", file90, sizeof file90},
    {"theme.css", file91, sizeof file91},
    {"theme.js", file92, sizeof file92},
    {"thumbs.js", file93, sizeof file93},
    {"types.js", file94, sizeof file94},
    {"uploads.js", file95, sizeof file95},
    {"zoom.js", file96, sizeof file96},
    {0, 0, 0},
};

size_t cpage_count(void) { return sizeof files / sizeof *files - 1; }

CPageFile cpage_file(size_t index) { return files[index]; }

CPageFile cpage_base_map(void) {
  return (CPageFile){"base-map.bin", base_map, sizeof base_map};
}

CPageFile cpage_openapi(void) {
  return (CPageFile){"openapi.json", openapi, sizeof openapi};
}
