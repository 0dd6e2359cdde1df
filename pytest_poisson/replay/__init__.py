"""Paired replay: two arms sent the same requests; how often did the decision at a threshold flip?"""
