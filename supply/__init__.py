"""What the program is made of: pins and hashes, licences, the bill of materials, the audit."""
