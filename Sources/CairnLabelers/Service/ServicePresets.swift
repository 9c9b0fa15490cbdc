public import CairnDocument

/// A web service that labels images, and that cairn knows how to call.
public struct LabelerPreset: Sendable {
  /// The name, for `"preset"` in a labeler's description.
  public let name: String
  /// The title of the service.
  public let title: String
  /// The whole description, as a starting point for that of a custom service.
  public let json: JSON
  /// The settings without a default, such as the service's URL.
  public let requiredSettings: [String]
  /// The environment variables that hold its secrets.
  public let secretVariables: [String]

  /// All presets, by name.
  public static var all: [LabelerPreset] { ServicePresets.names.compactMap(LabelerPreset.init) }

  /// Returns the preset with a name; nil if there is none.
  public init?(_ name: String) {
    guard let json = ServicePresets.json(name), let config = try? ServiceConfig(json: json) else {
      return nil
    }
    (self.name, self.json, title) = (name, json, json["title"]?.string ?? "")
    requiredSettings = config.openSettings
    secretVariables = config.secrets.map(\.variable)
  }
}

/// The built-in service descriptions, in the same form as custom ones.
///
/// Sources: the documentation of each service, named beside it.
package enum ServicePresets {
  /// The names, sorted.
  package static var names: [String] { texts.keys.sorted() }

  /// Returns the description of a preset; nil if there is none of that name.
  package static func json(_ name: String) -> JSON? {
    texts[name].flatMap { try? JSON(bytes: $0.utf8) }
  }

  private static let texts: [String: String] = [
    // learn.microsoft.com, “Image Analysis 4.0 – Analyze”, API 2023-10-01.
    "azure-image-analysis": """
    {
      "title": "Azure Image Analysis 4.0",
      "settings": {"endpoint": "", "features": "tags,caption", "language": "en"},
      "secrets": {"key": "AZURE_VISION_KEY"},
      "model": "azure-image-analysis@2023-10-01",
      "bytes": {
        "url": "{endpoint}/computervision/imageanalysis:analyze?api-version=2023-10-01&features={features}&language={language}",
        "headers": {"Ocp-Apim-Subscription-Key": "{key}", "Content-Type": "application/octet-stream"},
        "body": "bytes"
      },
      "address": {
        "url": "{endpoint}/computervision/imageanalysis:analyze?api-version=2023-10-01&features={features}&language={language}",
        "headers": {"Ocp-Apim-Subscription-Key": "{key}"},
        "body": {"url": "{address}"}
      },
      "answer": {
        "at": "tagsResult.values", "name": "name", "score": "confidence",
        "caption": {"text": "captionResult.text", "score": "captionResult.confidence"},
        "version": "modelVersion",
        "errors": ["error.innererror.message", "error.message"]
      }
    }
    """,
    // learn.microsoft.com, “Custom Vision Prediction” 3.1, ClassifyImage and ClassifyImageUrl.
    "azure-custom-vision": """
    {
      "title": "Azure Custom Vision 3.1",
      "settings": {"endpoint": "", "project": "", "iteration": ""},
      "secrets": {"key": "AZURE_CUSTOM_VISION_KEY"},
      "model": "custom-vision@{iteration}",
      "bytes": {
        "url": "{endpoint}/customvision/v3.1/Prediction/{project}/classify/iterations/{iteration}/image",
        "headers": {"Prediction-Key": "{key}", "Content-Type": "application/octet-stream"},
        "body": "bytes"
      },
      "address": {
        "url": "{endpoint}/customvision/v3.1/Prediction/{project}/classify/iterations/{iteration}/url",
        "headers": {"Prediction-Key": "{key}"},
        "body": {"Url": "{address}"}
      },
      "answer": {
        "at": "predictions", "name": "tagName", "score": "probability",
        "errors": ["error.message", "message"]
      }
    }
    """,
    // cloud.google.com, “Cloud Vision API – images.annotate” v1.
    "google-vision": """
    {
      "title": "Google Cloud Vision v1",
      "settings": {"endpoint": "https://vision.googleapis.com"},
      "secrets": {"key": "GOOGLE_API_KEY"},
      "model": "google-vision@v1",
      "bytes": {
        "url": "{endpoint}/v1/images:annotate",
        "headers": {"X-Goog-Api-Key": "{key}"},
        "body": {"requests": [{
          "image": {"content": "{base64}"},
          "features": [{"type": "LABEL_DETECTION", "maxResults": 50}]
        }]}
      },
      "address": {
        "url": "{endpoint}/v1/images:annotate",
        "headers": {"X-Goog-Api-Key": "{key}"},
        "body": {"requests": [{
          "image": {"source": {"imageUri": "{address}"}},
          "features": [{"type": "LABEL_DETECTION", "maxResults": 50}]
        }]}
      },
      "answer": {
        "at": "responses[0].labelAnnotations", "name": "description", "score": "score",
        "mayBeMissing": true,
        "errors": ["error.message", "responses[0].error.message"]
      }
    }
    """,
    // docs.clarifai.com, “Predict”.
    "clarifai": """
    {
      "title": "Clarifai",
      "settings": {
        "endpoint": "https://api.clarifai.com", "user": "clarifai", "app": "main",
        "model": "general-image-recognition", "version": ""
      },
      "secrets": {"key": "CLARIFAI_PAT"},
      "model": "{model}@{version}",
      "bytes": {
        "url": "{endpoint}/v2/users/{user}/apps/{app}/models/{model}[/versions/{version}]/outputs",
        "headers": {"Authorization": "Key {key}"},
        "body": {"inputs": [{"data": {"image": {"base64": "{base64}"}}}]}
      },
      "address": {
        "url": "{endpoint}/v2/users/{user}/apps/{app}/models/{model}[/versions/{version}]/outputs",
        "headers": {"Authorization": "Key {key}"},
        "body": {"inputs": [{"data": {"image": {"url": "{address}"}}}]}
      },
      "answer": {
        "at": "outputs[0].data.concepts", "name": "name", "score": "value", "mayBeMissing": true,
        "version": "outputs[0].model.model_version.id",
        "success": {"at": "status.code", "is": 10000},
        "errors": ["outputs[0].status.details", "status.details", "status.description"]
      }
    }
    """,
    // huggingface.co/docs/inference-providers, “Image Classification”.
    "hugging-face": """
    {
      "title": "Hugging Face inference",
      "settings": {
        "endpoint": "https://router.huggingface.co/hf-inference",
        "model": "", "version": ""
      },
      "secrets": {"key": "HF_TOKEN"},
      "model": "{model}@{version}",
      "bytes": {
        "url": "{endpoint}/models/{model}",
        "headers": {"Authorization": "Bearer {key}"},
        "body": "bytes"
      },
      "answer": {
        "at": "$", "name": "label", "score": "score",
        "box": {
          "left": "box.xmin", "top": "box.ymin", "right": "box.xmax", "bottom": "box.ymax",
          "unit": "pixel"
        },
        "errors": ["error"]
      }
    }
    """,
    // tensorflow.org/tfx/serving/api_rest, “Predict API”.
    "tensorflow-serving": """
    {
      "title": "TensorFlow Serving, predict: requires class names",
      "settings": {"endpoint": "http://localhost:8501", "model": "", "version": ""},
      "model": "{model}@{version}",
      "bytes": {
        "url": "{endpoint}/v1/models/{model}[/versions/{version}]:predict",
        "body": {"instances": [{"b64": "{base64}"}]}
      },
      "answer": {"form": "scores", "at": "predictions[0]", "errors": ["error"]}
    }
    """,
    // tensorflow.org/tfx/serving/api_rest, “Classify and Regress API”.
    "tensorflow-serving-classify": """
    {
      "title": "TensorFlow Serving, classify",
      "settings": {"endpoint": "http://localhost:8501", "model": "", "version": ""},
      "model": "{model}@{version}",
      "bytes": {
        "url": "{endpoint}/v1/models/{model}[/versions/{version}]:classify",
        "body": {"examples": [{"image": {"b64": "{base64}"}}]}
      },
      "answer": {"form": "pairs", "at": "result[0]", "errors": ["error"]}
    }
    """,
    // pytorch.org/serve, “Inference API”.
    "torchserve": """
    {
      "title": "TorchServe",
      "settings": {"endpoint": "http://localhost:8080", "model": "", "version": ""},
      "model": "{model}@{version}",
      "bytes": {
        "url": "{endpoint}/predictions/{model}[/{version}]",
        "body": "bytes"
      },
      "answer": {
        "form": "map", "at": "$", "errors": ["message"]
      }
    }
    """,
    // github.com/kserve/open-inference-protocol, “Inference”.
    "kserve": """
    {
      "title": "KServe, Open Inference Protocol v2: requires class names",
      "settings": {"endpoint": "http://localhost:8080", "model": "", "version": "", "input": "image"},
      "model": "{model}@{version}",
      "bytes": {
        "url": "{endpoint}/v2/models/{model}[/versions/{version}]/infer",
        "body": {"inputs": [
          {"name": "{input}", "shape": [1], "datatype": "BYTES", "data": ["{base64}"]}
        ]}
      },
      "answer": {
        "form": "scores", "at": "outputs[0].data", "version": "model_version", "errors": ["error"]
      }
    }
    """,
    // github.com/triton-inference-server/server, “Classification Extension”.
    "triton": """
    {
      "title": "Triton, classification extension",
      "settings": {
        "endpoint": "http://localhost:8000", "model": "", "version": "",
        "input": "image", "output": "probabilities"
      },
      "model": "{model}@{version}",
      "bytes": {
        "url": "{endpoint}/v2/models/{model}[/versions/{version}]/infer",
        "body": {
          "inputs": [
            {"name": "{input}", "shape": [1], "datatype": "BYTES", "data": ["{base64}"]}
          ],
          "outputs": [{"name": "{output}", "parameters": {"classification": 20}}]
        }
      },
      "answer": {
        "form": "ranked", "at": "outputs[0].data", "version": "model_version", "errors": ["error"]
      }
    }
    """,
    // docs.imagga.com, “Tags”.
    "imagga": """
    {
      "title": "Imagga v2",
      "settings": {"endpoint": "https://api.imagga.com"},
      "secrets": {"key": "IMAGGA_KEY", "secret": "IMAGGA_SECRET"},
      "model": "imagga@v2",
      "bytes": {
        "url": "{endpoint}/v2/tags",
        "basic": ["{key}", "{secret}"],
        "body": "multipart:image"
      },
      "address": {
        "url": "{endpoint}/v2/tags?image_url={address}",
        "basic": ["{key}", "{secret}"]
      },
      "answer": {
        "at": "result.tags", "name": "tag.en", "score": "confidence", "scale": 100,
        "success": {"at": "status.type", "is": "success"},
        "errors": ["status.text"]
      }
    }
    """,
    // A custom server: POST the image, and get [{"label": …, "score": …}].
    "plain": """
    {
      "title": "Your own server: POST image → [{label, score}]",
      "settings": {"endpoint": ""},
      "bytes": {"url": "{endpoint}", "body": "bytes"},
      "address": {"url": "{endpoint}", "body": {"url": "{address}"}},
      "answer": {
        "at": "$", "name": ["label", "name", "class"],
        "score": ["score", "confidence", "probability"],
        "errors": ["error", "message"]
      }
    }
    """,
  ]
}
