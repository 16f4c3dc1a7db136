#!/usr/bin/python3 -IS
"""The container of a story on an S3 store, as any other program sees it: a verb for each question.

    bucket.py URL make               makes the bucket, if it is missing
    bucket.py URL names [PREFIX]     the keys below PREFIX, without it, directories and tombstones
    bucket.py URL keys [PREFIX]      all of them, as programs see them that know nothing of ours
    bucket.py URL cat KEY…           their bytes
    bucket.py URL put KEY [HEADER:VALUE…]
                                     an object of standard input, with these headers
    bucket.py URL encrypt KEY        the same, encrypted with a key that nobody else has
    bucket.py URL headers KEY        what programs keep beside an object, a line each
    bucket.py URL beside KEY         what others keep there: headers, tags and grants, a line each
    bucket.py URL rewrite KEY FILE   other bytes of standard input, with the headers that FILE has
    bucket.py URL deny ACTION KEY    nobody may do that, GetObject or another, with KEY
    bucket.py URL grant ACTION…      the second account may do these below PREFIX, GetObject and others, and
                                     nothing else; what it makes is the first account's as well
    bucket.py URL allow              neither: everybody may what he may without
    bucket.py URL versioning STATUS  the bucket keeps versions of its objects: Enabled or Suspended
    bucket.py URL delete KEY
    bucket.py URL copy URL           copies all objects as they are into another bucket, which it makes
    bucket.py URL clear              deletes all objects of the bucket
    bucket.py URL drop               and the bucket

URL is s3://BUCKET/PREFIX?endpoint=http://HOST:PORT; keys lie below the prefix. The account is the
environment's.
"""

import base64
import datetime
import hashlib
import hmac
import http.client
import json
import os
import sys
import urllib.parse
import xml.etree.ElementTree as tree


class Bucket:
    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.bucket = parts.netloc
        self.prefix = parts.path.lstrip("/")
        if self.prefix and not self.prefix.endswith("/"):
            self.prefix += "/"
        endpoint = urllib.parse.parse_qs(parts.query)["endpoint"][0]
        self.host = urllib.parse.urlsplit(endpoint).netloc
        self.link = http.client.HTTPConnection(self.host, timeout=30)

    def ask(self, method, key=None, query=None, body=b"", wanted=(200, 204), more=None):
        """One signed request (Signature Version 4); the answer and its bytes."""
        path = "/" + self.bucket + ("" if key is None else "/" + key)
        path = urllib.parse.quote(path, safe="/-_.~")
        query = "&".join(
            f"{urllib.parse.quote(name, safe='-_.~')}={urllib.parse.quote(value, safe='-_.~')}"
            for name, value in sorted((query or {}).items()))
        now = datetime.datetime.now(datetime.timezone.utc)
        time, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
        digest = hashlib.sha256(body).hexdigest()
        headers = {"host": self.host, "x-amz-content-sha256": digest, "x-amz-date": time}
        headers.update(more or {})
        names = ";".join(sorted(headers))
        told = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
        request = "\n".join([method, path, query, told, names, digest])
        scope = f"{day}/us-east-1/s3/aws4_request"
        text = "\n".join(
            ["AWS4-HMAC-SHA256", time, scope, hashlib.sha256(request.encode()).hexdigest()])
        key_bytes = ("AWS4" + os.environ["AWS_SECRET_ACCESS_KEY"]).encode()
        for word in (day, "us-east-1", "s3", "aws4_request", text):
            key_bytes = hmac.new(key_bytes, word.encode(), hashlib.sha256).digest()
        account = os.environ["AWS_ACCESS_KEY_ID"]
        headers["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={account}/{scope}, SignedHeaders={names}, "
            f"Signature={key_bytes.hex()}")
        self.link.request(method, path + ("?" + query if query else ""), body, headers)
        answer = self.link.getresponse()
        bytes_ = answer.read()
        if answer.status not in wanted:
            sys.exit(f"{method} {path}: {answer.status} {bytes_[:300].decode(errors='replace')}")
        return answer, bytes_

    def make(self):
        self.ask("PUT", wanted=(200, 409))

    def listing(self, prefix):
        """Key and size of all that begins with a prefix."""
        query = {"list-type": "2", "prefix": prefix}
        while True:
            page = tree.fromstring(self.ask("GET", query=query)[1])
            space = self.space(page)
            for entry in page.iter(space + "Contents"):
                yield entry.findtext(space + "Key"), entry.findtext(space + "Size")
            token = page.findtext(space + "NextContinuationToken")
            if not token:
                return
            query["continuation-token"] = token

    def names(self, prefix=""):
        for key, size in self.listing(self.prefix + prefix):
            if not key.endswith("/") and not self.is_tombstone(key, size):
                print(key[len(self.prefix):])

    def keys(self, prefix=""):
        for key, _ in self.listing(self.prefix + prefix):
            print(key[len(self.prefix):])

    def is_tombstone(self, key, size):
        """Whether an object stands for nothing: its body says so, and names an operation."""
        if size != "66":
            return False
        answer, _ = self.ask("HEAD", key, wanted=(200, 404))
        return answer.getheader("x-amz-meta-docfs-kind") == "tombstone"

    def cat(self, *keys):
        for key in keys:
            sys.stdout.buffer.write(self.ask("GET", self.prefix + key)[1])

    def put(self, key, *headers):
        more = dict(header.split(":", 1) for header in headers)
        self.ask("PUT", self.prefix + key, body=sys.stdin.buffer.read(), more=more)

    def encrypt(self, key):
        secret = os.urandom(32)
        head = "x-amz-server-side-encryption-customer-"
        self.ask("PUT", self.prefix + key, body=sys.stdin.buffer.read(), more={
            head + "algorithm": "AES256",
            head + "key": base64.b64encode(secret).decode(),
            head + "key-md5": base64.b64encode(hashlib.md5(secret).digest()).decode()})

    def headers(self, key):
        for name, value in self.ask("HEAD", self.prefix + key)[0].getheaders():
            if name.lower().startswith("x-amz-meta-"):
                print(f"{name.lower()}:{value}")

    def beside(self, key):
        ours = ("docfs-", "mtime")
        for name, value in sorted(self.ask("HEAD", self.prefix + key)[0].getheaders()):
            name = name.lower()
            if name.startswith(("content-", "cache-")) and name != "content-length" or (
                    name.startswith("x-amz-meta-") and not name[11:].startswith(ours)):
                print(f"{name}:{value}")
        page = self.page(key, "tagging")
        for tag in page.iter(self.space(page) + "Tag"):
            print("tag", *(part.text for part in tag))
        page = self.page(key, "acl")
        space = self.space(page)
        for grant in page.iter(space + "Grant"):
            who, what = grant.find(space + "Grantee"), grant.findtext(space + "Permission")
            print("grant", what, who.findtext(space + "ID") or who.findtext(space + "URI"))

    def page(self, key, question):
        return tree.fromstring(self.ask("GET", self.prefix + key, {question: ""})[1])

    @staticmethod
    def space(page):
        """What goes before each name of a page."""
        return page.tag[:page.tag.rindex("}") + 1] if "}" in page.tag else ""

    def rewrite(self, key, file):
        with open(file, encoding="utf-8") as lines:
            kept = dict(line.rstrip("\n").split(":", 1) for line in lines)
        self.ask("PUT", self.prefix + key, body=sys.stdin.buffer.read(), more=kept)

    def deny(self, action, key):
        policy = {"Version": "2012-10-17", "Statement": [
            {"Effect": "Deny", "Principal": "*", "Action": f"s3:{action}",
             "Resource": f"arn:aws:s3:::{self.bucket}/{self.prefix}{key}"}]}
        self.ask("PUT", query={"policy": ""}, body=json.dumps(policy).encode())

    def grant(self, *actions):
        bucket = f"arn:aws:s3:::{self.bucket}"

        def allow(user, may, *places, **more):
            return {"Effect": "Allow", "Principal": {"AWS": [f"arn:aws:iam:::user/{user}"]},
                    "Action": [f"s3:{action}" for action in may], "Resource": list(places), **more}
        limit = {"Condition": {"StringLike": {"s3:prefix": self.prefix + "*"}}} if self.prefix else {}
        of_bucket = [action for action in actions if action == "ListBucket"]
        of_objects = [action for action in actions if action != "ListBucket"]
        self.ask("PUT", query={"policy": ""}, body=json.dumps({"Version": "2012-10-17", "Statement": [
            allow("docfs", "*", bucket, bucket + "/*"), allow("guest", of_bucket, bucket, **limit),
            allow("guest", of_objects, f"{bucket}/{self.prefix}*")]}).encode())

    def allow(self):
        self.ask("DELETE", query={"policy": ""})

    def versioning(self, status):
        self.ask("PUT", query={"versioning": ""}, body=(
            f"<VersioningConfiguration><Status>{status}</Status></VersioningConfiguration>").encode())

    def delete(self, key):
        self.ask("DELETE", self.prefix + key)

    def copy(self, url):
        other = Bucket(url)
        other.make()
        for key, _ in list(self.listing("")):
            source = urllib.parse.quote(f"/{self.bucket}/{key}", safe="/-_.~")
            other.ask("PUT", key, more={"x-amz-copy-source": source})

    def clear(self):
        for key, _ in list(self.listing("")):
            self.ask("DELETE", key)

    def drop(self):
        self.clear()
        self.ask("DELETE")


if __name__ == "__main__":
    url, verb, *arguments = sys.argv[1:]
    getattr(Bucket(url), verb)(*arguments)
