"""*Understanding the Performance of Many TCP Flows*.

L. Qiu, Y. Zhang and S. Keshav, Computer Networks 37 (2001): up to 600 connections share a T1 or an ISDN link behind
buffers of every size, with and without random processing times; what is lost, who gets what, and who loses together.
"""
