// Written by Tests/Scripts/embed-page.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "CPage.h"

static const unsigned char file0[] = {
#embed "../CairnServer/Page/add/add.css" if_empty(0)
};
static const unsigned char file1[] = {
#embed "../CairnServer/Page/add/add.js" if_empty(0)
};
static const unsigned char file2[] = {
#embed "../CairnServer/Page/add/drop.js" if_empty(0)
};
static const unsigned char file3[] = {
#embed "../CairnServer/Page/add/uploads.js" if_empty(0)
};
static const unsigned char file4[] = {
#embed "../CairnServer/Page/canvas/camera.js" if_empty(0)
};
static const unsigned char file5[] = {
#embed "../CairnServer/Page/canvas/canvas.css" if_empty(0)
};
static const unsigned char file6[] = {
#embed "../CairnServer/Page/canvas/canvas.js" if_empty(0)
};
static const unsigned char file7[] = {
#embed "../CairnServer/Page/common/dialog.js" if_empty(0)
};
static const unsigned char file8[] = {
#embed "../CairnServer/Page/common/dom.js" if_empty(0)
};
static const unsigned char file9[] = {
#embed "../CairnServer/Page/common/fill.js" if_empty(0)
};
static const unsigned char file10[] = {
#embed "../CairnServer/Page/common/format.js" if_empty(0)
};
static const unsigned char file11[] = {
#embed "../CairnServer/Page/common/states.js" if_empty(0)
};
static const unsigned char file12[] = {
#embed "../CairnServer/Page/data/api.js" if_empty(0)
};
static const unsigned char file13[] = {
#embed "../CairnServer/Page/data/current-set.js" if_empty(0)
};
static const unsigned char file14[] = {
#embed "../CairnServer/Page/data/decoded.js" if_empty(0)
};
static const unsigned char file15[] = {
#embed "../CairnServer/Page/data/events.js" if_empty(0)
};
static const unsigned char file16[] = {
#embed "../CairnServer/Page/data/jobs.js" if_empty(0)
};
static const unsigned char file17[] = {
#embed "../CairnServer/Page/data/photo-lists.js" if_empty(0)
};
static const unsigned char file18[] = {
#embed "../CairnServer/Page/data/rows.js" if_empty(0)
};
static const unsigned char file19[] = {
#embed "../CairnServer/Page/data/selected-in.js" if_empty(0)
};
static const unsigned char file20[] = {
#embed "../CairnServer/Page/data/selection.js" if_empty(0)
};
static const unsigned char file21[] = {
#embed "../CairnServer/Page/data/sets.js" if_empty(0)
};
static const unsigned char file22[] = {
#embed "../CairnServer/Page/data/store.js" if_empty(0)
};
static const unsigned char file23[] = {
#embed "../CairnServer/Page/data/thumbs.js" if_empty(0)
};
static const unsigned char file24[] = {
#embed "../CairnServer/Page/data/types.js" if_empty(0)
};
static const unsigned char file25[] = {
#embed "../CairnServer/Page/edits/actions.js" if_empty(0)
};
static const unsigned char file26[] = {
#embed "../CairnServer/Page/edits/class-keys.js" if_empty(0)
};
static const unsigned char file27[] = {
#embed "../CairnServer/Page/edits/early-edits.js" if_empty(0)
};
static const unsigned char file28[] = {
#embed "../CairnServer/Page/edits/label-bar.js" if_empty(0)
};
static const unsigned char file29[] = {
#embed "../CairnServer/Page/edits/pick-class.js" if_empty(0)
};
static const unsigned char file30[] = {
#embed "../CairnServer/Page/grid/cell.js" if_empty(0)
};
static const unsigned char file31[] = {
#embed "../CairnServer/Page/grid/grid-layout.js" if_empty(0)
};
static const unsigned char file32[] = {
#embed "../CairnServer/Page/grid/grid.css" if_empty(0)
};
static const unsigned char file33[] = {
#embed "../CairnServer/Page/grid/grid.js" if_empty(0)
};
static const unsigned char file34[] = {
#embed "../CairnServer/Page/grid/group-headers.js" if_empty(0)
};
static const unsigned char file35[] = {
#embed "../CairnServer/Page/grid/mini-grid.js" if_empty(0)
};
static const unsigned char file36[] = {
#embed "../CairnServer/Page/grid/photo-grid.js" if_empty(0)
};
static const unsigned char file37[] = {
#embed "../CairnServer/Page/grid/pinch.js" if_empty(0)
};
static const unsigned char file38[] = {
#embed "../CairnServer/Page/images/arrow.svg" if_empty(0)
};
static const unsigned char file39[] = {
#embed "../CairnServer/Page/images/favicon.svg" if_empty(0)
};
static const unsigned char file40[] = {
#embed "../CairnServer/Page/images/icons.svg" if_empty(0)
};
static const unsigned char file41[] = {
#embed "../CairnServer/Page/images/missing.svg" if_empty(0)
};
static const unsigned char file42[] = {
#embed "../CairnServer/Page/index.html" if_empty(0)
};
static const unsigned char file43[] = {
#embed "../CairnServer/Page/map/fetch-panel.js" if_empty(0)
};
static const unsigned char file44[] = {
#embed "../CairnServer/Page/map/map-base.js" if_empty(0)
};
static const unsigned char file45[] = {
#embed "../CairnServer/Page/map/map-gestures.js" if_empty(0)
};
static const unsigned char file46[] = {
#embed "../CairnServer/Page/map/map-items.js" if_empty(0)
};
static const unsigned char file47[] = {
#embed "../CairnServer/Page/map/map-keys.js" if_empty(0)
};
static const unsigned char file48[] = {
#embed "../CairnServer/Page/map/map-layers.js" if_empty(0)
};
static const unsigned char file49[] = {
#embed "../CairnServer/Page/map/map-project.js" if_empty(0)
};
static const unsigned char file50[] = {
#embed "../CairnServer/Page/map/map-surface.js" if_empty(0)
};
static const unsigned char file51[] = {
#embed "../CairnServer/Page/map/map-tiles.js" if_empty(0)
};
static const unsigned char file52[] = {
#embed "../CairnServer/Page/map/map-view.js" if_empty(0)
};
static const unsigned char file53[] = {
#embed "../CairnServer/Page/map/map.css" if_empty(0)
};
static const unsigned char file54[] = {
#embed "../CairnServer/Page/map/map.js" if_empty(0)
};
static const unsigned char file55[] = {
#embed "../CairnServer/Page/map/panel-photos.js" if_empty(0)
};
static const unsigned char file56[] = {
#embed "../CairnServer/Page/map/pin-grid.js" if_empty(0)
};
static const unsigned char file57[] = {
#embed "../CairnServer/Page/map/pin-list.js" if_empty(0)
};
static const unsigned char file58[] = {
#embed "../CairnServer/Page/map/pin-panel.js" if_empty(0)
};
static const unsigned char file59[] = {
#embed "../CairnServer/Page/map/pin-placing.js" if_empty(0)
};
static const unsigned char file60[] = {
#embed "../CairnServer/Page/map/pin-selection.js" if_empty(0)
};
static const unsigned char file61[] = {
#embed "../CairnServer/Page/map/pins.js" if_empty(0)
};
static const unsigned char file62[] = {
#embed "../CairnServer/Page/models/figures.js" if_empty(0)
};
static const unsigned char file63[] = {
#embed "../CairnServer/Page/models/model-agreement.js" if_empty(0)
};
static const unsigned char file64[] = {
#embed "../CairnServer/Page/models/model-metrics.js" if_empty(0)
};
static const unsigned char file65[] = {
#embed "../CairnServer/Page/models/model-runs.js" if_empty(0)
};
static const unsigned char file66[] = {
#embed "../CairnServer/Page/models/model-training.js" if_empty(0)
};
static const unsigned char file67[] = {
#embed "../CairnServer/Page/models/models.css" if_empty(0)
};
static const unsigned char file68[] = {
#embed "../CairnServer/Page/models/models.js" if_empty(0)
};
static const unsigned char file69[] = {
#embed "../CairnServer/Page/models/query-field.js" if_empty(0)
};
static const unsigned char file70[] = {
#embed "../CairnServer/Page/models/training-figures.js" if_empty(0)
};
static const unsigned char file71[] = {
#embed "../CairnServer/Page/people/people.js" if_empty(0)
};
static const unsigned char file72[] = {
#embed "../CairnServer/Page/photo/box-element.js" if_empty(0)
};
static const unsigned char file73[] = {
#embed "../CairnServer/Page/photo/box-geometry.js" if_empty(0)
};
static const unsigned char file74[] = {
#embed "../CairnServer/Page/photo/box-keys.js" if_empty(0)
};
static const unsigned char file75[] = {
#embed "../CairnServer/Page/photo/box-pointer.js" if_empty(0)
};
static const unsigned char file76[] = {
#embed "../CairnServer/Page/photo/boxes.js" if_empty(0)
};
static const unsigned char file77[] = {
#embed "../CairnServer/Page/photo/outline-corners.js" if_empty(0)
};
static const unsigned char file78[] = {
#embed "../CairnServer/Page/photo/outline-drawing.js" if_empty(0)
};
static const unsigned char file79[] = {
#embed "../CairnServer/Page/photo/outline-geometry.js" if_empty(0)
};
static const unsigned char file80[] = {
#embed "../CairnServer/Page/photo/photo-bar.js" if_empty(0)
};
static const unsigned char file81[] = {
#embed "../CairnServer/Page/photo/photo-boxes.js" if_empty(0)
};
static const unsigned char file82[] = {
#embed "../CairnServer/Page/photo/photo-edits.js" if_empty(0)
};
static const unsigned char file83[] = {
#embed "../CairnServer/Page/photo/photo-facts.js" if_empty(0)
};
static const unsigned char file84[] = {
#embed "../CairnServer/Page/photo/photo-history.js" if_empty(0)
};
static const unsigned char file85[] = {
#embed "../CairnServer/Page/photo/photo-keys.js" if_empty(0)
};
static const unsigned char file86[] = {
#embed "../CairnServer/Page/photo/photo-labels.js" if_empty(0)
};
static const unsigned char file87[] = {
#embed "../CairnServer/Page/photo/photo-stage.js" if_empty(0)
};
static const unsigned char file88[] = {
#embed "../CairnServer/Page/photo/photo-steps.js" if_empty(0)
};
static const unsigned char file89[] = {
#embed "../CairnServer/Page/photo/photo.css" if_empty(0)
};
static const unsigned char file90[] = {
#embed "../CairnServer/Page/photo/photo.js" if_empty(0)
};
static const unsigned char file91[] = {
#embed "../CairnServer/Page/photo/zoom.js" if_empty(0)
};
static const unsigned char file92[] = {
#embed "../CairnServer/Page/review/review-bar.js" if_empty(0)
};
static const unsigned char file93[] = {
#embed "../CairnServer/Page/review/review-keys.js" if_empty(0)
};
static const unsigned char file94[] = {
#embed "../CairnServer/Page/review/review-panel.js" if_empty(0)
};
static const unsigned char file95[] = {
#embed "../CairnServer/Page/review/review-queue.js" if_empty(0)
};
static const unsigned char file96[] = {
#embed "../CairnServer/Page/review/review.css" if_empty(0)
};
static const unsigned char file97[] = {
#embed "../CairnServer/Page/review/review.js" if_empty(0)
};
static const unsigned char file98[] = {
#embed "../CairnServer/Page/shell/app-menu.js" if_empty(0)
};
static const unsigned char file99[] = {
#embed "../CairnServer/Page/shell/app.css" if_empty(0)
};
static const unsigned char file100[] = {
#embed "../CairnServer/Page/shell/app.js" if_empty(0)
};
static const unsigned char file101[] = {
#embed "../CairnServer/Page/shell/help.js" if_empty(0)
};
static const unsigned char file102[] = {
#embed "../CairnServer/Page/shell/job-tray.js" if_empty(0)
};
static const unsigned char file103[] = {
#embed "../CairnServer/Page/shell/keys.js" if_empty(0)
};
static const unsigned char file104[] = {
#embed "../CairnServer/Page/shell/leaving.js" if_empty(0)
};
static const unsigned char file105[] = {
#embed "../CairnServer/Page/shell/main.js" if_empty(0)
};
static const unsigned char file106[] = {
#embed "../CairnServer/Page/shell/query-bar.js" if_empty(0)
};
static const unsigned char file107[] = {
#embed "../CairnServer/Page/shell/router.js" if_empty(0)
};
static const unsigned char file108[] = {
#embed "../CairnServer/Page/shell/theme.css" if_empty(0)
};
static const unsigned char file109[] = {
#embed "../CairnServer/Page/shell/theme.js" if_empty(0)
};
static const unsigned char file110[] = {
#embed "../CairnServer/Page/similarity/similarity-keys.js" if_empty(0)
};
static const unsigned char file111[] = {
#embed "../CairnServer/Page/similarity/similarity-photo.js" if_empty(0)
};
static const unsigned char file112[] = {
#embed "../CairnServer/Page/similarity/similarity-plane.js" if_empty(0)
};
static const unsigned char file113[] = {
#embed "../CairnServer/Page/similarity/similarity-surface.js" if_empty(0)
};
static const unsigned char file114[] = {
#embed "../CairnServer/Page/similarity/similarity.css" if_empty(0)
};
static const unsigned char file115[] = {
#embed "../CairnServer/Page/similarity/similarity.js" if_empty(0)
};
static const unsigned char file116[] = {
#embed "../CairnServer/Page/strings/server-de-b.js" if_empty(0)
};
static const unsigned char file117[] = {
#embed "../CairnServer/Page/strings/server-de.js" if_empty(0)
};
static const unsigned char file118[] = {
#embed "../CairnServer/Page/strings/server-texts.js" if_empty(0)
};
static const unsigned char file119[] = {
#embed "../CairnServer/Page/strings/strings-de-b.js" if_empty(0)
};
static const unsigned char file120[] = {
#embed "../CairnServer/Page/strings/strings-de-c.js" if_empty(0)
};
static const unsigned char file121[] = {
#embed "../CairnServer/Page/strings/strings-de-d.js" if_empty(0)
};
static const unsigned char file122[] = {
#embed "../CairnServer/Page/strings/strings-de-e.js" if_empty(0)
};
static const unsigned char file123[] = {
#embed "../CairnServer/Page/strings/strings-de.js" if_empty(0)
};
static const unsigned char file124[] = {
#embed "../CairnServer/Page/strings/strings-en-b.js" if_empty(0)
};
static const unsigned char file125[] = {
#embed "../CairnServer/Page/strings/strings-en-c.js" if_empty(0)
};
static const unsigned char file126[] = {
#embed "../CairnServer/Page/strings/strings-en-d.js" if_empty(0)
};
static const unsigned char file127[] = {
#embed "../CairnServer/Page/strings/strings-en-e.js" if_empty(0)
};
static const unsigned char file128[] = {
#embed "../CairnServer/Page/strings/strings-en.js" if_empty(0)
};
static const unsigned char file129[] = {
#embed "../CairnServer/Page/strings/strings.js" if_empty(0)
};
static const unsigned char file130[] = {
#embed "../CairnServer/Page/sync/sync-outcome.js" if_empty(0)
};
static const unsigned char file131[] = {
#embed "../CairnServer/Page/sync/sync.js" if_empty(0)
};
static const unsigned char file132[] = {
#embed "../CairnServer/Page/table/table-cells.js" if_empty(0)
};
static const unsigned char file133[] = {
#embed "../CairnServer/Page/table/table-photos.js" if_empty(0)
};
static const unsigned char file134[] = {
#embed "../CairnServer/Page/table/table-rows.js" if_empty(0)
};
static const unsigned char file135[] = {
#embed "../CairnServer/Page/table/table-view.js" if_empty(0)
};
static const unsigned char file136[] = {
#embed "../CairnServer/Page/table/table.css" if_empty(0)
};
static const unsigned char file137[] = {
#embed "../CairnServer/Page/table/table.js" if_empty(0)
};
static const unsigned char base_map[] = {
#embed "base-map.bin"
};

static const unsigned char openapi[] = {
#embed "../CairnServer/openapi.json"
};

static const CPageFile files[] = {
    {"add/add.css", file0, sizeof file0},
    {"add/add.js", file1, sizeof file1},
    {"add/drop.js", file2, sizeof file2},
    {"add/uploads.js", file3, sizeof file3},
    {"canvas/camera.js", file4, sizeof file4},
    {"canvas/canvas.css", file5, sizeof file5},
    {"canvas/canvas.js", file6, sizeof file6},
    {"common/dialog.js", file7, sizeof file7},
    {"common/dom.js", file8, sizeof file8},
    {"common/fill.js", file9, sizeof file9},
    {"common/format.js", file10, sizeof file10},
    {"common/states.js", file11, sizeof file11},
    {"data/api.js", file12, sizeof file12},
    {"data/current-set.js", file13, sizeof file13},
    {"data/decoded.js", file14, sizeof file14},
    {"data/events.js", file15, sizeof file15},
    {"data/jobs.js", file16, sizeof file16},
    {"data/photo-lists.js", file17, sizeof file17},
    {"data/rows.js", file18, sizeof file18},
    {"data/selected-in.js", file19, sizeof file19},
    {"data/selection.js", file20, sizeof file20},
    {"data/sets.js", file21, sizeof file21},
    {"data/store.js", file22, sizeof file22},
    {"data/thumbs.js", file23, sizeof file23},
    {"data/types.js", file24, sizeof file24},
    {"edits/actions.js", file25, sizeof file25},
    {"edits/class-keys.js", file26, sizeof file26},
    {"edits/early-edits.js", file27, sizeof file27},
    {"edits/label-bar.js", file28, sizeof file28},
    {"edits/pick-class.js", file29, sizeof file29},
    {"grid/cell.js", file30, sizeof file30},
    {"grid/grid-layout.js", file31, sizeof file31},
    {"grid/grid.css", file32, sizeof file32},
    {"grid/grid.js", file33, sizeof file33},
    {"grid/group-headers.js", file34, sizeof file34},
    {"grid/mini-grid.js", file35, sizeof file35},
    {"grid/photo-grid.js", file36, sizeof file36},
    {"grid/pinch.js", file37, sizeof file37},
    {"images/arrow.svg", file38, sizeof file38},
    {"images/favicon.svg", file39, sizeof file39},
    {"images/icons.svg", file40, sizeof file40},
    {"images/missing.svg", file41, sizeof file41},
    {"index.html", file42, sizeof file42},
    {"map/fetch-panel.js", file43, sizeof file43},
    {"map/map-base.js", file44, sizeof file44},
    {"map/map-gestures.js", file45, sizeof file45},
    {"map/map-items.js", file46, sizeof file46},
    {"map/map-keys.js", file47, sizeof file47},
    {"map/map-layers.js", file48, sizeof file48},
    {"map/map-project.js", file49, sizeof file49},
    {"map/map-surface.js", file50, sizeof file50},
    {"map/map-tiles.js", file51, sizeof file51},
    {"map/map-view.js", file52, sizeof file52},
    {"map/map.css", file53, sizeof file53},
    {"map/map.js", file54, sizeof file54},
    {"map/panel-photos.js", file55, sizeof file55},
    {"map/pin-grid.js", file56, sizeof file56},
    {"map/pin-list.js", file57, sizeof file57},
    {"map/pin-panel.js", file58, sizeof file58},
    {"map/pin-placing.js", file59, sizeof file59},
    {"map/pin-selection.js", file60, sizeof file60},
    {"map/pins.js", file61, sizeof file61},
    {"models/figures.js", file62, sizeof file62},
    {"models/model-agreement.js", file63, sizeof file63},
    {"models/model-metrics.js", file64, sizeof file64},
    {"models/model-runs.js", file65, sizeof file65},
    {"models/model-training.js", file66, sizeof file66},
    {"models/models.css", file67, sizeof file67},
    {"models/models.js", file68, sizeof file68},
    {"models/query-field.js", file69, sizeof file69},
    {"models/training-figures.js", file70, sizeof file70},
    {"people/people.js", file71, sizeof file71},
    {"photo/box-element.js", file72, sizeof file72},
    {"photo/box-geometry.js", file73, sizeof file73},
    {"photo/box-keys.js", file74, sizeof file74},
    {"photo/box-pointer.js", file75, sizeof file75},
    {"photo/boxes.js", file76, sizeof file76},
    {"photo/outline-corners.js", file77, sizeof file77},
    {"photo/outline-drawing.js", file78, sizeof file78},
    {"photo/outline-geometry.js", file79, sizeof file79},
    {"photo/photo-bar.js", file80, sizeof file80},
    {"photo/photo-boxes.js", file81, sizeof file81},
    {"photo/photo-edits.js", file82, sizeof file82},
    {"photo/photo-facts.js", file83, sizeof file83},
    {"photo/photo-history.js", file84, sizeof file84},
    {"photo/photo-keys.js", file85, sizeof file85},
    {"photo/photo-labels.js", file86, sizeof file86},
    {"photo/photo-stage.js", file87, sizeof file87},
    {"photo/photo-steps.js", file88, sizeof file88},
    {"photo/photo.css", file89, sizeof file89},
    {"photo/photo.js", file90, sizeof file90},
    {"photo/zoom.js", file91, sizeof file91},
    {"review/review-bar.js", file92, sizeof file92},
    {"review/review-keys.js", file93, sizeof file93},
    {"review/review-panel.js", file94, sizeof file94},
    {"review/review-queue.js", file95, sizeof file95},
    {"review/review.css", file96, sizeof file96},
    {"review/review.js", file97, sizeof file97},
    {"shell/app-menu.js", file98, sizeof file98},
    {"shell/app.css", file99, sizeof file99},
    {"shell/app.js", file100, sizeof file100},
    {"shell/help.js", file101, sizeof file101},
    {"shell/job-tray.js", file102, sizeof file102},
    {"shell/keys.js", file103, sizeof file103},
    {"shell/leaving.js", file104, sizeof file104},
    {"shell/main.js", file105, sizeof file105},
    {"shell/query-bar.js", file106, sizeof file106},
    {"shell/router.js", file107, sizeof file107},
    {"shell/theme.css", file108, sizeof file108},
    {"shell/theme.js", file109, sizeof file109},
    {"similarity/similarity-keys.js", file110, sizeof file110},
    {"similarity/similarity-photo.js", file111, sizeof file111},
    {"similarity/similarity-plane.js", file112, sizeof file112},
    {"similarity/similarity-surface.js", file113, sizeof file113},
    {"similarity/similarity.css", file114, sizeof file114},
    {"similarity/similarity.js", file115, sizeof file115},
    {"strings/server-de-b.js", file116, sizeof file116},
    {"strings/server-de.js", file117, sizeof file117},
    {"strings/server-texts.js", file118, sizeof file118},
    {"strings/strings-de-b.js", file119, sizeof file119},
    {"strings/strings-de-c.js", file120, sizeof file120},
    {"strings/strings-de-d.js", file121, sizeof file121},
    {"strings/strings-de-e.js", file122, sizeof file122},
    {"strings/strings-de.js", file123, sizeof file123},
    {"strings/strings-en-b.js", file124, sizeof file124},
    {"strings/strings-en-c.js", file125, sizeof file125},
    {"strings/strings-en-d.js", file126, sizeof file126},
    {"strings/strings-en-e.js", file127, sizeof file127},
    {"strings/strings-en.js", file128, sizeof file128},
    {"strings/strings.js", file129, sizeof file129},
    {"sync/sync-outcome.js", file130, sizeof file130},
    {"sync/sync.js", file131, sizeof file131},
    {"table/table-cells.js", file132, sizeof file132},
    {"table/table-photos.js", file133, sizeof file133},
    {"table/table-rows.js", file134, sizeof file134},
    {"table/table-view.js", file135, sizeof file135},
    {"table/table.css", file136, sizeof file136},
    {"table/table.js", file137, sizeof file137},
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
