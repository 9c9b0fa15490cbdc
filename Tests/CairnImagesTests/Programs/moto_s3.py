"""A bucket of moto, which checks signatures, keys and policies, and botocore, to compare with.

Its first line on stdout is JSON with the port, the bucket and the keys. Then each line on stdin is
a request in JSON, to which it responds with one line. It runs until its stdin ends.
"""
import base64
import json
import os
import shlex
import sys

FREE_CALLS = 3  # the calls that create the first user
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = str(FREE_CALLS)
os.environ["S3_UPLOAD_PART_MIN_SIZE"] = "100000"
os.environ.update(AWS_ACCESS_KEY_ID="none", AWS_SECRET_ACCESS_KEY="none", NO_PROXY="127.0.0.1")
for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
    os.environ.pop(name, None)

import logging

logging.getLogger("werkzeug").setLevel(logging.CRITICAL)

import boto3
import botocore.auth
import botocore.awsrequest
import botocore.credentials
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.server import ThreadedMotoServer

BUCKET, REGION = "cairn-images", "eu-west-1"
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
PORT = server.get_host_and_port()[1]


def client(service, key_id="none", secret="none", token=None):
    return boto3.client(
        service, region_name=REGION, endpoint_url=f"http://127.0.0.1:{PORT}",
        aws_access_key_id=key_id, aws_secret_access_key=secret, aws_session_token=token,
        config=Config(retries={"max_attempts": 0}, s3={"addressing_style": "path"}))


def policy(*actions):
    return json.dumps({
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": list(actions), "Resource": "*"}]})


def user(iam, name, *actions):
    iam.create_user(UserName=name)
    iam.put_user_policy(UserName=name, PolicyName="p", PolicyDocument=policy(*actions))
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return {"keyID": key["AccessKeyId"], "secret": key["SecretAccessKey"]}


admin = user(client("iam"), "admin", "*")
iam = client("iam", admin["keyID"], admin["secret"])
s3 = client("s3", admin["keyID"], admin["secret"])
s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
reader = user(iam, "reader", "s3:GetObject", "s3:ListBucket")
writer = user(iam, "writer", "s3:PutObject")
trust = json.dumps({"Version": "2012-10-17", "Statement": {
    "Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}})
role = iam.create_role(RoleName="guest", AssumeRolePolicyDocument=trust)["Role"]["Arn"]
iam.put_role_policy(RoleName="guest", PolicyName="p", PolicyDocument=policy("s3:*"))
temporary = client("sts", admin["keyID"], admin["secret"]).assume_role(
    RoleArn=role, RoleSessionName="guest")["Credentials"]
guest = {"keyID": temporary["AccessKeyId"], "secret": temporary["SecretAccessKey"],
         "token": temporary["SessionToken"]}


def get(key):
    try:
        return base64.b64encode(s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()).decode()
    except ClientError as error:
        if error.response["Error"]["Code"] == "NoSuchKey":
            return None
        raise


def put(key, bytes):
    if bytes is None:
        s3.delete_object(Bucket=BUCKET, Key=key)
    else:
        s3.put_object(Bucket=BUCKET, Key=key, Body=base64.b64decode(bytes))


def sign(method, url, headers, date, key_id, secret, token, region, payload_hash):
    class Signer(botocore.auth.S3SigV4Auth):
        def payload(self, request):
            return payload_hash

        def sign(self, request):
            # As in add_auth, but for a given time.
            request.context["timestamp"] = date
            self._modify_request_before_signing(request)
            text = self.string_to_sign(request, self.canonical_request(request))
            self._inject_signature_to_request(request, self.signature(text, request))

    request = botocore.awsrequest.AWSRequest(method=method, url=url, headers=headers)
    Signer(botocore.credentials.Credentials(key_id, secret, token), "s3", region).sign(request)
    return request.headers["Authorization"]


def words(text):
    try:
        return shlex.split(text)
    except ValueError:
        return None


def uploads():
    return len(s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []))


print(json.dumps({"port": PORT, "bucket": BUCKET, "region": REGION, "admin": admin,
                  "reader": reader, "writer": writer, "guest": guest}), flush=True)
verbs = {"get": get, "put": put, "sign": sign, "words": words, "uploads": uploads}
for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = {"answer": verbs[request.pop("do")](**request)}
    except Exception as error:
        answer = {"error": repr(error)}
    print(json.dumps(answer), flush=True)
os._exit(0)
