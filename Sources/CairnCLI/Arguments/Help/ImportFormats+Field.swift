import Cairn

// The help texts of `cairn import` for the formats of field naturalists.

enum MegaDetectorImport: ImportFormatHelp {
  static let format = ImportFormat.megadetector
  static let abstract = "Import MegaDetector or SpeciesNet JSON: a model's boxes and classes."
  static let discussion = """
    Reads a file, or the only .json file of a directory. All labels are a model's: the detector's
    version is read from the file, and --as names the model if the file does not. From SpeciesNet's
    predictions, cairn reads the boxes and the final class of each photo, by its common name.
    Videos, and images that the detector failed on, are left out and counted.
    """
  static let example =
    "cairn import megadetector ../results.json --image-dir ../sd-card --as speciesnet@v4.0.2a"
  static let dryRunExample = "cairn import megadetector ../results.json -n"
}

enum CamtrapDPImport: ImportFormatHelp {
  static let format = ImportFormat.camtrapDP
  static let abstract = "Import a Camera Trap Data Package: deployments, media and observations."
  static let discussion = """
    Reads datapackage.json of a directory. An observation of a single photo becomes a label, whose
    class is the scientific name, or the type of the observation (animal, human, vehicle, blank,
    unknown); its box is kept. Deployments with coordinates become pins. Videos, and observations of
    whole events, are left out and counted.
    """
  static let example = "cairn import camtrap-dp ../package --dry-run"
}

enum INaturalistImport: ImportFormatHelp {
  static let format = ImportFormat.inaturalist
  static let abstract = "Import observations exported from iNaturalist as CSV."
  static let discussion = """
    Reads a file, or the only observations….csv of a directory. The table has URLs instead of
    images: cairn looks for files named PHOTO.jpeg, OBSERVATION_PHOTO.jpeg or OBSERVATION.jpeg, where
    PHOTO and OBSERVATION are ids. The class is the scientific name.
    """
  static let example =
    "cairn import inaturalist ../observations-12345.csv --image-dir ../photos --skip-invalid"
}

enum DarwinCoreImport: ImportFormatHelp {
  static let format = ImportFormat.darwinCore
  static let abstract = "Import a Darwin Core Archive, such as a GBIF download, unpacked."
  static let discussion = """
    Reads meta.xml of a directory, and the tables of occurrences and media that it names. The class
    is the scientific name without its author. The archive has URLs instead of images: cairn looks
    for files named after the last part of the URL, or OCCURRENCE.jpg, where OCCURRENCE is an id.
    """
  static let example =
    "cairn import darwin-core ../0012345-240101 --image-dir ../photos --skip-invalid"
}
