"""What the program is made of: pins and their hashes, licences, the bill of materials, the audit."""
