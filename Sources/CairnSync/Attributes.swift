/// `.gitattributes` of a dataset: images are Git LFS pointers, documents are merged by cairn and
/// never have their line ends changed.
enum Attributes {
  static let path = ".gitattributes"

  static let text = """
    /images/** filter=lfs diff=lfs merge=lfs -text
    /cairn.json merge=cairn diff=cairn -text
    /classes/** merge=cairn diff=cairn -text
    /labels/** merge=cairn diff=cairn -text
    /photos/** merge=cairn diff=cairn -text
    /pins/** merge=cairn diff=cairn -text
    /runs/** merge=cairn diff=cairn -text

    """
}
